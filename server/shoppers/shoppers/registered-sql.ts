import { type StoreTx, sql } from '../../core/db/public.ts'

// SQL that updates shoppers from the store's customer records.

/**
 * Updates shoppers from the customer records that share their keys; of several, the last changed one counts. The record
 * fills contacts the shopper has not given, if the address is a key of theirs. Addresses of the store's team: see F1.
 */
export async function updateFromCustomers({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<void> {
  const ids = sql`any(${[...shopperIds]}::uuid[])`
  await sql`
    with record as (
      select distinct on (k.shopper_id) k.shopper_id, c.email, c.phone, c.first_name, c.last_name, c.country, c.company,
        max(c.last_login_at) over w as last_login_at, min(c.created_at) over w as created_at
      from shopper_keys k
      join customers c on c.store_id = k.store_id and c.customer_id = k.value
      where k.store_id = ${storeId} and k.shopper_id = ${ids} and k.kind = 'customer'
      window w as (partition by k.shopper_id)
      order by k.shopper_id, c.modified_at desc nulls last, c.customer_id),
    known as (
      select s.id, r.shopper_id is not null as is_registered, r.email as account_email, r.phone as account_phone,
        r.first_name as account_first_name, r.last_name as account_last_name, r.company, r.last_login_at,
        least(s.first_seen_at, r.created_at) as first_seen_at,
        coalesce(s.email, ${selectOwnKey('email')}) as email, coalesce(s.phone, ${selectOwnKey('phone')}) as phone,
        case when s.first_name is null and s.last_name is null then r.first_name else s.first_name end as first_name,
        case when s.first_name is null and s.last_name is null then r.last_name else s.last_name end as last_name,
        coalesce(s.country, r.country) as country,
        coalesce(s.country_source, case when s.country is null and r.country is not null then 'address' end) as country_source
      from shoppers s left join record r on r.shopper_id = s.id
      where s.store_id = ${storeId} and s.id = ${ids}),
    marked as (
      select n.*, coalesce(n.email in (select lower(u.email) from members m join users u on u.id = m.user_id
        join stores t on t.account_id = m.account_id where t.id = ${storeId}), false) as is_member
      from known n)
    update shoppers s set ${sql.join(COLUMNS.map((name) => sql`${sql.ref(name)} = n.${sql.ref(name)}`))}
    from marked n
    where s.store_id = ${storeId} and s.id = n.id
      and (${sql.join(COLUMNS.map((name) => sql`s.${sql.ref(name)}`))}) is distinct from
        (${sql.join(COLUMNS.map((name) => sql`n.${sql.ref(name)}`))})`.execute(db)
}

const COLUMNS = [
  'is_registered',
  'account_email',
  'account_phone',
  'account_first_name',
  'account_last_name',
  'company',
  'last_login_at',
  'first_seen_at',
  'email',
  'phone',
  'first_name',
  'last_name',
  'country',
  'country_source',
  'is_member',
]

/** Whether the address is a key of this shopper: another's or a shared address is not. */
const selectOwnKey = (
  kind: 'email' | 'phone',
) => sql`(select k.value from shopper_keys k where k.store_id = s.store_id and k.kind = ${kind}
  and k.value = r.${sql.ref(kind)} and k.shopper_id = s.id)`
