// Records each change of a cart's flow in a table of the simulator's own, because a cart may fall quiet several times
// within one step. Stores no addresses (C8).

/** A cart became abandoned, or its flow changed. */
export interface FlowAssignment {
  place: number
  cart: string
  /** Changes of one transaction were decided together. */
  transaction: string
  /** The cart became abandoned with this change. */
  isQuiet: boolean
  flowBefore: string | null
  flow: string | null
  /** State of the cart at that time. */
  lastActivityAt: number
  value: number
  items: { quantity: number }[]
  hasPhone: boolean
}

export const FLOW_ASSIGNMENT_SQL = `
  create table simulator_choices (store_id uuid not null, place bigserial, cart_id uuid not null, transaction xid8 not null, is_quiet boolean not null,
    flow_before uuid, flow_id uuid, last_activity_at timestamptz not null, value_minor bigint not null, items jsonb not null,
    has_phone boolean not null, primary key (store_id, place));
  create function simulator_chose() returns trigger language plpgsql as 'begin
    insert into simulator_choices (store_id, cart_id, transaction, is_quiet, flow_before, flow_id, last_activity_at, value_minor, items, has_phone)
    values (new.store_id, new.id, pg_current_xact_id(), new.status = ''abandoned'' and old.status <> ''abandoned'', old.flow_id, new.flow_id,
      new.last_activity_at, new.value_minor, new.items, new.phone is not null);
    return null; end';
  create trigger simulator_choice after update of status, flow_id on carts for each row
    when (new.status = 'abandoned' and old.status <> 'abandoned' or old.flow_id is distinct from new.flow_id) execute function simulator_chose()`
