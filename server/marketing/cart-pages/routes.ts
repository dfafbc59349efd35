import { followCart, listActiveCarts } from '../../../shared/carts/active-carts.ts'
import { captureStatus } from '../../../shared/carts/capture-status.ts'
import * as api from '../../../shared/carts/carts.ts'
import { cartReach } from '../../../shared/carts/reach.ts'
import { restoreCart as restoreEndpoint, restoreTexts } from '../../../shared/delivery/restore.ts'
import { prepareDownload, type Routes, serveDownload, servePublic, serveStore } from '../../access/http/public.ts'
import { chooseStore } from '../../access/stores/public.ts'
import { readCaptureStatus } from '../../carts/capture/public.ts'
import * as list from '../../carts/carts/public.ts'
import { parseFilter } from '../../carts/carts/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { describePage } from '../../core/db/public.ts'
import { groupedEngagementEvents } from '../../delivery/engagement/public.ts'
import { readRestorable, restoreCart, testRestore } from '../../delivery/restore/public.ts'
import { countFiltered, loadMessageViews, readReach } from '../manual-sends/public.ts'
import { readActiveCarts, readFollowed } from './active.ts'
import { cartsDownload } from './export.ts'
import { readMessagesOfCart } from './messages.ts'
import { readCart, readEvents, readLastSyncedAt, readOrder, readTouches } from './page-sql.ts'
import { loadPaths } from './path.ts'
import {
  presentCart,
  presentOffered,
  presentRestorable,
  presentRestored,
  presentTimeline,
  toDecimal,
} from './present.ts'

export const cartRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listAbandonedCarts, async ({ store, query }) => {
    const filter = { ...query, ...parseFilter(query) }
    const [counted, syncedAt] = await Promise.all([countFiltered(deps, store, filter), readLastSyncedAt(store)])
    const rows = await list.listCarts(store, filter, counted)
    const ids = rows.map((row) => row.id)
    const [views, paths] = await Promise.all([loadMessageViews(store, ids), loadPaths(store, ids)])
    const { total, isCapped, isPartial, isEvaluatedInPart } = counted
    return {
      carts: rows.map((row) => presentCart(row, views, paths.get(row.id))),
      pagination: {
        ...describePage(query, total),
        ...(isCapped ? { totalIsCapped: true } : {}),
        ...(isPartial ? { lookedThrough: list.MAX_SEARCHED } : {}),
        ...(isEvaluatedInPart ? { reachOfNewest: list.MAX_EVALUATED } : {}),
      },
      syncAgeSeconds: syncedAt ? Math.max(0, Math.round((deps.now().getTime() - syncedAt.getTime()) / 1000)) : null,
    }
  })

  serveStore(app, deps, listActiveCarts, ({ store, query }) => readActiveCarts(deps, store, query.limit))

  serveStore(app, deps, followCart, ({ store, query }) => readFollowed(deps, store, query))

  serveStore(app, deps, cartReach, ({ store, body }) => readReach(deps, store, body))

  serveStore(app, deps, captureStatus, ({ store }) => readCaptureStatus(deps, store))

  serveStore(app, deps, api.exportCarts, ({ store, session, query }) => {
    // Throws for an unknown filter.
    parseFilter(query)
    return prepareDownload(deps, cartsDownload, { session, storeId: store.storeId, what: query })
  })

  serveDownload(app, deps, cartsDownload)

  // A restore token shows the public view; a raw id needs a signed-in member of that store (decision 4).
  servePublic(app, deps, api.getCart, async ({ params, query, session, request }) => {
    if (params.id.startsWith('rt_')) {
      const cart = await readRestorable(deps, params.id, request.headers['accept-language'])
      return {
        cart: {
          items: presentRestorable(cart),
          total: toDecimal(cart.valueMinor, cart.currency),
          currency: cart.currency,
          locale: cart.locale,
          storeName: cart.storeName,
          brand: cart.brand,
          shopUrl: cart.shopUrl,
          isOrdered: cart.isOrdered,
          expiresAt: cart.expiresAt.toISOString(),
          coupon: cart.coupon && presentOffered(cart.coupon, cart.currency),
        },
      }
    }
    if (!session || !isUuid(params.id)) throw new AppError('not_found', restoreTexts.notFound)
    const { id } = await chooseStore(deps.db, session, query)
    const store = { storeId: id, db: deps.db }
    const cart = requireFound(await readCart(store, params.id), 'Cart')
    const [views, paths] = await Promise.all([loadMessageViews(store, [cart.id]), loadPaths(store, [cart.id])])
    return { cart: presentCart(cart, views, paths.get(cart.id)) }
  })

  serveStore(app, deps, api.cartMessages, async ({ store, params }) => {
    const cart = requireFound(await readCart(store, params.id), 'Cart')
    const { messages, flow, joined } = await readMessagesOfCart(deps, store, cart.id)
    const ids = messages.map(({ id }) => id)
    const [events, touches, engagement, order] = await Promise.all([
      readEvents(store, cart.id),
      readTouches(store, cart.id),
      groupedEngagementEvents(store, ids),
      readOrder(store, cart.id),
    ])
    return {
      messages,
      timeline: presentTimeline({ state: cart.status, events, messages, touches, engagement, joined }),
      flow,
      order: order ? presentOrder(order) : null,
    }
  })

  // A raw id needs a member of the store, whose click counts as a test.
  servePublic(app, deps, restoreEndpoint, async ({ params, query, session }) => {
    if (params.id.startsWith('rt_') || !session || !isUuid(params.id))
      return presentRestored(await restoreCart(deps, params.id))
    return presentRestored(await testRestore(deps, session, params.id, query))
  })
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

function presentOrder(order: NonNullable<Awaited<ReturnType<typeof readOrder>>>) {
  return {
    orderId: order.order_id,
    total: toDecimal(order.total_minor, order.currency),
    net: toDecimal(order.net_minor, order.currency),
    currency: order.currency,
    purchasedAt: order.purchased_at!.toISOString(),
    attributedMessageId: order.message_id,
  }
}
