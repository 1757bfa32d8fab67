from app.cli.commands import Commands
from app.cli.payments_accounts import add, change, close, show_all
from app.cli.payments_provider import check, set_webhook
from app.cli.payments_reconcile import reconcile_accounts
from app.cli.payments_show import show

payments = Commands("payments", help="Deposits: accounts at providers, and where the money is.")

for command in (reconcile_accounts, show, add, change, show_all, close, set_webhook, check):
    payments.add_command(command)
