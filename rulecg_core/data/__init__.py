"""What is learned from and what is learned: problems, conditions, rules, groups, linear forms, pools of rules."""
