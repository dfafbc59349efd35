import type { Generated } from 'kysely'

export interface PluginSchema {
  plugin_codes: PluginCodesTable
  plugin_connections: PluginConnectionsTable
  plugin_nonces: PluginNoncesTable
  plugin_carts: PluginCartsTable
  plugin_goods: PluginGoodsTable
}

export interface PluginCodesTable {
  account_id: string
  id: string
  user_id: string
  session_id: string
  encrypted_key: Buffer
  home_url: string
  created_at: Date
  expires_at: Date
  used_at: Generated<Date | null>
}

export interface PluginConnectionsTable {
  store_id: string
  encrypted_secret: Buffer
  encrypted_old_secret: Generated<Buffer | null>
  install: string
  highest_seq: Generated<number>
  version: string
  connected_at: Date
  ended_at: Generated<Date | null>
  called_at: Generated<Date | null>
  cart_at: Generated<Date | null>
  beat_at: Generated<Date | null>
  health: Generated<PluginHealth | null>
  is_reached: Generated<boolean | null>
  reach_code: Generated<string | null>
  reach_detail: Generated<string | null>
  reach_checked_at: Generated<Date | null>
  unreached_since: Generated<Date | null>
  test_asked: Generated<string | null>
  test_seen: Generated<string | null>
  test_seen_at: Generated<Date | null>
  orders_since: Generated<Date | null>
  reports_goods: Generated<boolean | null>
}

/** The shop's state, reported by the plugin with every heartbeat. */
export interface PluginHealth {
  queue: number
  oldestS: number
  droppedDay: number
  errorsDay: number
  cronS: number | null
  isCronDisabled: boolean
  isBlocked: boolean
  checkout: 'block' | 'classic' | 'both' | 'none'
  hasKey: boolean
  boxes: string[]
}

export interface PluginNoncesTable {
  store_id: string
  nonce: string
  used_at: Date
}

export interface PluginCartsTable {
  store_id: string
  install: string
  cart: string
  seq: number
  repeat_seq: Generated<number | null>
  said: Generated<Record<string, string>>
  seen_at: Date
}

export interface PluginGoodsTable {
  store_id: string
  product_id: string
  variation_id: string
  wanted_at: Date
  read_at: Date | null
  is_available: boolean | null
  price_minor: number | null
  is_on_sale: boolean | null
  stock_quantity: number | null
}
