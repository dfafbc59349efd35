-- Only what the alarm asks for fits it. Without the second condition it looked as good for the frequency cap as the index by
-- person, to a planner whose statistics are from before a store's first large send, and every hand-over read all the others.
drop index messages_by_hand_over;
create index messages_by_hand_over on messages (store_id, handed_over_at desc)
  where handed_over_at is not null and state <> 'handed_over';
