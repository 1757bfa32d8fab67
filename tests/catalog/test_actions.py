from app.catalog import actions, opening, places, resources, selling

MODULES = (opening, places, resources, selling)


def test_every_change_of_the_catalogue_is_offered_to_the_doors() -> None:
    verbs = ("add_", "archive_", "change_", "forget_", "remove_", "rename_", "set_")
    changes = {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if name.startswith(verbs) and getattr(value, "__module__", "") == module.__name__
    }

    assert changes <= set(actions.__all__)


def test_what_is_offered_is_there() -> None:
    assert all(hasattr(actions, name) for name in actions.__all__)
