import time

from app.ids import new_id


def test_an_id_is_a_uuid_of_version_7() -> None:
    made = new_id()

    assert made.version == 7
    assert made.variant == "specified in RFC 4122"
    assert abs((made.int >> 80) - time.time_ns() // 1_000_000) < 1000


def test_a_later_id_sorts_after_an_earlier_one() -> None:
    made = []
    for _ in range(200):
        made.append(new_id())
        time.sleep(0.00001)

    assert sorted(made) == made
    assert sorted(map(str, made)) == list(map(str, made))


def test_no_two_are_alike() -> None:
    assert len({new_id() for _ in range(10_000)}) == 10_000
