-- Operators may create accounts.
alter table operator_actions
  drop constraint operator_actions_action_check,
  add constraint operator_actions_action_check check (
    action in ('set_plan', 'suspend', 'resume', 'view', 'resolve_problem', 'adjust_credits', 'create_account')
  ) not valid;
alter table operator_actions validate constraint operator_actions_action_check;
