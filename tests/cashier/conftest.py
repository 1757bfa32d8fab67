from tests.checkout.conftest import bank, desk, faults_are_meant, no_hidden_fault

__all__ = ["bank", "desk", "faults_are_meant", "no_hidden_fault"]
