import * as api from '../../shared/carts.ts'
import { restoreCart as restoreEndpoint, restoreTexts } from '../../shared/restore.ts'
import { AppError, found } from '../errors.ts'
import { type Routes, servePublic, serveStore } from '../http.ts'
import { textViews } from '../messages/by-hand.ts'
import { chooseStore } from '../stores/choose.ts'
import { groupedVisits } from '../visits/sql.ts'
import { downloadCarts, prepareCartExport } from './export.ts'
import * as list from './list-sql.ts'
import { decimal, presentCart, presentItems, presentMessage, presentTimeline } from './present.ts'
import { readRestorable, restoreCart } from './restore.ts'

export const cartRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listAbandonedCarts, async ({ store, query }) => {
    const filter = { ...query, ...filterOf(query) }
    const [counted, syncedAt] = await Promise.all([list.countCarts(store, filter), list.syncedAt(store)])
    const rows = await list.listCarts(store, filter, counted)
    const texts = await textViews(
      store,
      rows.map((row) => row.id),
    )
    const { total, isCapped, isPartial } = counted
    return {
      carts: rows.map((row) => presentCart(row, texts)),
      pagination: {
        page: query.page,
        limit: query.limit,
        total,
        pages: Math.ceil(total / query.limit),
        ...(isCapped ? { totalIsCapped: true } : {}),
        ...(isPartial ? { lookedThrough: list.MOST_LOOKED_THROUGH } : {}),
      },
      syncAgeSeconds: syncedAt ? Math.max(0, Math.round((deps.now().getTime() - syncedAt.getTime()) / 1000)) : null,
    }
  })

  serveStore(app, deps, api.exportCarts, ({ store, session, query }) =>
    prepareCartExport(deps, session, store.storeId, filterOf(query)),
  )

  app.get<{ Params: { ticket: string }; Querystring: { status?: string; search?: string } }>(
    '/api/carts/export/:ticket',
    async ({ params, query }, reply) => {
      const { fileName, stream } = await downloadCarts(deps, params.ticket, filterOf(query))
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .send(stream)
    },
  )

  // A restore token shows the public shape; anything else is for a signed-in member of that store (decision 4).
  servePublic(app, deps, api.getCart, async ({ params, query, session }) => {
    if (params.id.startsWith('rt_')) {
      const cart = await readRestorable(deps, params.id)
      return {
        cart: {
          items: presentItems(cart.items, cart.currency),
          total: decimal(cart.valueMinor, cart.currency),
          currency: cart.currency,
          storeName: cart.storeName,
          expiresAt: cart.expiresAt.toISOString(),
        },
      }
    }
    if (!session || !isUuid(params.id)) throw new AppError('not_found', restoreTexts.notFound)
    const { id } = await chooseStore(deps.db, session, query)
    const store = { storeId: id, db: deps.db }
    const cart = found(await list.readCart(store, params.id), 'Cart')
    return { cart: presentCart(cart, await textViews(store, [cart.id])) }
  })

  serveStore(app, deps, api.cartMessages, async ({ store, params }) => {
    const cart = found(await list.readCart(store, params.id), 'Cart')
    const rows = await list.messagesOfCart(store, cart.id)
    const ids = rows.map((row) => row.id)
    const [decisions, events, touches, visits, order] = await Promise.all([
      list.decisionsOf(store, ids),
      list.eventsOf(store, cart.id),
      list.touchesOf(store, cart.id),
      groupedVisits(store, ids),
      list.orderOfCart(store, cart.id),
    ])
    const messages = rows.map((row) => presentMessage(row, decisions))
    return {
      messages,
      timeline: presentTimeline({ state: cart.status, events, messages, touches, visits }),
      order: order ? presentOrder(order) : null,
    }
  })

  servePublic(app, deps, restoreEndpoint, async ({ params }) => {
    const { items, currency, checkoutUrl } = await restoreCart(deps, params.id)
    return {
      message: restoreTexts.restored,
      items: items.map((item) => ({
        product_id: item.variationId ?? item.productId,
        product_name: item.name,
        quantity: item.quantity,
        price: decimal(item.unitPriceMinor, currency),
        outcome: item.outcome,
        before: { quantity: item.before.quantity, price: decimal(item.before.unitPriceMinor, currency) },
      })),
      checkoutUrl,
    }
  })
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const filterOf = (query: { status?: string | undefined; search?: string | undefined }) => ({
  badge: badgeOf(query.status),
  search: query.search?.trim() ?? '',
})

/** `status=` filters by the lower-case badge (decision 11); `all` and nothing mean all. */
function badgeOf(status: string | undefined): api.CartBadge | null {
  if (!status || status.toLowerCase() === 'all') return null
  const badge = api.CartBadge.options.find((option) => option.toLowerCase() === status.toLowerCase())
  if (!badge) throw new AppError('invalid', `There is no status "${status.slice(0, 40)}".`)
  return badge
}

function presentOrder(order: NonNullable<Awaited<ReturnType<typeof list.orderOfCart>>>) {
  return {
    orderId: order.order_id,
    total: decimal(order.total_minor, order.currency),
    net: decimal(order.net_minor, order.currency),
    currency: order.currency,
    purchasedAt: order.purchased_at!.toISOString(),
    attributedMessageId: order.message_id,
  }
}
