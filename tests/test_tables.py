"""What belongs to a location carries its id first, everywhere: so nothing crosses over."""

from itertools import chain
from typing import Any

import pytest
from alembic import command
from flask import Flask
from sqlalchemy import Connection, ForeignKeyConstraint, Table, UniqueConstraint, inspect
from sqlalchemy.dialects.postgresql import ExcludeConstraint

from app.cli.database import alembic_config
from app.tables import METADATA

OF_NO_LOCATION = {"location", "staff_user"}

OWNED = [table for table in METADATA.sorted_tables if table.name not in OF_NO_LOCATION]

tables = pytest.mark.parametrize("table", OWNED, ids=lambda table: table.name)


def foreign_keys(table: Table) -> list[ForeignKeyConstraint]:
    return [each for each in table.constraints if isinstance(each, ForeignKeyConstraint)]


@tables
def test_the_location_leads_the_primary_key(table: Table) -> None:
    assert next(iter(table.primary_key.columns)).name == "location_id"
    assert not table.c.location_id.nullable


@tables
def test_the_location_leads_all_that_must_be_unique(table: Table) -> None:
    unique: list[list[Any]] = [
        list(each.columns) for each in table.constraints if isinstance(each, UniqueConstraint)
    ]
    excluding: list[list[Any]] = [
        list(each.columns) for each in table.constraints if isinstance(each, ExcludeConstraint)
    ]
    indexes: list[list[Any]] = [list(index.expressions) for index in table.indexes if index.unique]

    for columns in chain(unique, excluding, indexes):
        assert columns[0] is table.c.location_id, columns


@tables
def test_what_a_row_refers_to_is_of_its_own_location(table: Table) -> None:
    for key in foreign_keys(table):
        pairs = [(element.parent.name, element.column) for element in key.elements]
        target = pairs[0][1].table.name
        if target == "location":
            assert pairs == [("location_id", METADATA.tables["location"].c.id)]
        elif target == "staff_user":
            assert len(pairs) == 1
        else:
            assert pairs[0][0] == pairs[0][1].name == "location_id", key.name


def test_the_database_has_the_same_keys(connection: Connection) -> None:
    seen = inspect(connection)

    assert set(seen.get_table_names()) - {"alembic_version"} == set(METADATA.tables)
    for table in METADATA.sorted_tables:
        key = seen.get_pk_constraint(table.name)["constrained_columns"]
        assert key == [column.name for column in table.primary_key.columns]
        for found in seen.get_unique_constraints(table.name):
            assert found["column_names"][0] == "location_id" or table.name in OF_NO_LOCATION
        made = {tuple(each["constrained_columns"]) for each in seen.get_foreign_keys(table.name)}
        assert made == {tuple(key.column_keys) for key in foreign_keys(table)}


def test_every_constraint_has_a_name() -> None:
    for table in METADATA.sorted_tables:
        assert all(constraint.name for constraint in table.constraints), table.name


def test_the_migrations_make_what_the_models_say(bare_app: Flask, database_url: str) -> None:
    with bare_app.app_context():
        command.check(alembic_config(database_url))
