from app.checkout.asked import Ask


class ChargeMissing(Exception):
    """The booking's deposit has no code yet: ``ask`` says what the provider is to be asked for.

    No refusal: the door lets the cashier ask, outside of any transaction, and then does its work
    again.
    """

    def __init__(self, ask: Ask) -> None:
        super().__init__("the provider has to be asked first")
        self.ask = ask
