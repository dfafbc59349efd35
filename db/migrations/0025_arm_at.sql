-- When somebody was drawn into an arm: of two people found to be one, the assignment made first is kept (F1).
alter table shoppers add column arm_at timestamptz;
update shoppers set arm_at = created_at where arm is not null;
alter table shoppers add constraint shoppers_arm_at check ((arm is null) = (arm_at is null));
