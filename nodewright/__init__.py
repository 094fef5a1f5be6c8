"""The front door: public names and the command line."""

from nodewright.runtime.local import LocalPlan, aligned, permute_local
from nodewright.runtime.permutation import PermutationPlan, bmmc_permute, factor_bmmc, perform_bmmc

__all__ = ["LocalPlan", "PermutationPlan", "aligned", "bmmc_permute", "factor_bmmc", "perform_bmmc", "permute_local"]
