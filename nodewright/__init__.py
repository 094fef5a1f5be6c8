"""The front door: public names and the command line."""

from nodewright.permutation import PermutationPlan, bmmc_permute, factor_bmmc, perform_bmmc

__all__ = ["PermutationPlan", "bmmc_permute", "factor_bmmc", "perform_bmmc"]
