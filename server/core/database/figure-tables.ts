import type { TableEntry } from './tables.ts'

const figures: TableEntry = {
  of: 'store',
  person: { none: 'totals only' },
  export: { none: 'derived from carts, messages and orders' },
}

/** The tables of analytics. */
export const figureTables: Readonly<Record<string, TableEntry>> = {
  rollups: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from carts and orders' } },
  rollup_days: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from carts and orders' } },
  rollup_changes: { of: 'store', person: { none: 'totals only' }, export: { none: 'derived from carts and orders' } },
  active_shopper_counts: {
    of: 'store',
    person: { none: 'totals only' },
    export: { none: 'derived from carts and orders' },
  },
  figure_changes: {
    of: 'store',
    person: { none: 'what changed' },
    export: { none: 'derived from carts, messages and orders' },
  },
  figure_days: figures,
  figure_counts: figures,
  cart_figures: figures,
  funnel_figures: figures,
  message_figures: figures,
  flow_figures: figures,
  order_figures: figures,
  product_figures: figures,
  product_month_figures: figures,
  product_ranges: figures,
  product_range_figures: figures,
  figure_products: figures,
  weekly_report_clocks: { of: 'store', person: { none: 'clockwork' }, export: { none: 'clockwork' } },
  weekly_reports: { of: 'store', person: { none: 'belongs to the team' }, export: { none: 'clockwork' } },
  counted_figures: figures,
}
