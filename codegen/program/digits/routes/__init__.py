"""Routes of transforms by digits: where axes are cut, and what lies on the ranks in each phase."""
