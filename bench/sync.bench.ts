import { importOrders } from '../server/carts/sync/sync.ts'
import type { OrderPage, OrderQuery, PlatformOrder } from '../server/platforms/platform/platform.ts'
import { createFakeStore } from '../test/fake-store.ts'
import type { Bench, Figure } from './figures.ts'
import type { Lab } from './lab.ts'
import { measureMs, readResidentMb } from './measure.ts'

// Method: a store returns 100,000 orders of 90 days in pages of 100 without delay: 6 in 10 are purchases, the others
// drafts, pending and failed, by 60,000 shoppers. The import creates facts, orders and carts. Memory is the heap after
// a collection, and the resident memory, at a tenth and at the end. A second import without changes shows the cost of a
// sync.

const PAGE = 100

export const bench: Bench = { name: 'sync', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await lab.open()
  try {
    const { storeId } = await instance.store()
    const total = lab.sized(100_000)
    const heap: number[] = []
    const resident: number[] = []
    const shop = {
      ...createFakeStore(),
      orders: (query: OrderQuery) =>
        generatePages(total, query, (page) => {
          if (page % Math.ceil(total / PAGE / 10) !== 0) return
          globalThis.gc?.()
          heap.push(process.memoryUsage().heapUsed / 2 ** 20)
          resident.push(readResidentMb())
        }),
    }
    const deps = { ...instance.deps, storeClient: () => shop }
    const firstMs = await measureMs(async () => checkResult(await importOrders(deps, storeId), total))
    await instance.db.updateTable('sync_state').set({ watermark: null }).where('stream', '=', 'import').execute()
    const againMs = await measureMs(async () => checkResult(await importOrders(deps, storeId), total))
    return [
      {
        name: `import of ${total.toLocaleString('en-US')} orders`,
        value: (total / firstMs) * 1_000,
        unit: 'orders/s',
        goal: { atLeast: 1_000 },
      },
      { name: 'import again, all known', value: (total / againMs) * 1_000, unit: 'orders/s' },
      {
        name: 'heap at the end ÷ at a tenth',
        value: heap[9]! / heap[0]!,
        unit: '×',
        goal: { below: 1.2 },
        note: `live ${heap[0]!.toFixed(0)} → ${heap[9]!.toFixed(0)} MB, resident ${resident[0]!.toFixed(0)} → ${resident[9]!.toFixed(0)} MB`,
      },
    ]
  } finally {
    await instance.close()
  }
}

async function* generatePages(
  total: number,
  query: OrderQuery,
  onPage: (page: number) => void,
): AsyncGenerator<OrderPage> {
  const totalPages = Math.ceil(total / PAGE)
  const start = new Date(query.modifiedSince).getTime()
  const stepMs = (90 * 86_400_000 - 3_600_000) / total
  for (let page = 1; page <= totalPages; page++) {
    const size = Math.min(PAGE, total - (page - 1) * PAGE)
    const rows = Array.from({ length: size }, (_, n) => buildOrder((page - 1) * PAGE + n, start, stepMs))
    yield { rows, skipped: [], page, totalPages, isLast: page === totalPages, resumeFrom: rows.at(-1)!.modifiedAt }
    onPage(page)
  }
}

const KINDS = [
  'purchase',
  'draft',
  'purchase',
  'draft',
  'purchase',
  'pending',
  'purchase',
  'failed',
  'purchase',
  'purchase',
] as const

function buildOrder(n: number, start: number, stepMs: number): PlatformOrder {
  const kind = KINDS[n % 10]!
  const at = new Date(Math.floor((start + n * stepMs) / 1_000) * 1_000).toISOString()
  const shopper = (n * 7) % 60_000
  return {
    orderId: String(n + 1),
    kind,
    status: kind === 'purchase' ? 'processing' : kind === 'draft' ? 'checkout-draft' : kind,
    createdAt: at,
    modifiedAt: at,
    paidAt: kind === 'purchase' ? at : null,
    currency: 'USD',
    totalMinor: 4_200,
    refundedMinor: 0,
    customerId: null,
    email: `shopper${shopper}@shoppers.example`,
    phone: `+1212${String(5_000_000 + shopper)}`,
    firstName: 'Ada',
    lastName: `No. ${shopper}`,
    country: 'US',
    coupons: [],
    items: [buildItem(n % 900), buildItem((n * 7) % 900)],
    source: 'shopper',
    paymentUrl: null,
  }
}

const buildItem = (n: number) => ({
  productId: String(100 + n),
  variationId: null,
  name: `Loose leaf tea, tin no. ${n}`,
  sku: `TEA-${n}`,
  quantity: 1,
  unitPriceMinor: 2_100,
  imageUrl: `https://shop.example.com/wp-content/uploads/tea-${n}-300x300.jpg`,
})

function checkResult(result: Awaited<ReturnType<typeof importOrders>>, total: number): void {
  if (result.kind !== 'done' || result.rowCount !== total)
    throw new Error(`the import ended with ${JSON.stringify(result)}`)
}
