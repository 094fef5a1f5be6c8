"""The front door: public names and the command line."""

from nodewright.local import LocalPlan, aligned, permute_local
from nodewright.permutation import PermutationPlan, bmmc_permute, factor_bmmc, perform_bmmc

__all__ = ["LocalPlan", "PermutationPlan", "aligned", "bmmc_permute", "factor_bmmc", "perform_bmmc", "permute_local"]
