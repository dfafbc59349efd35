// A minimal wp-admin for the demo: recent orders with actions, coupons, webhooks. It has no login.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { type ApiKey, OWNER_KEY } from '../auth.ts'
import { formatLocalTime } from '../clock.ts'
import { type Coupon, listCoupons } from '../coupons.ts'
import {
  addRefund,
  changeStatus,
  findOrder,
  type Order,
  type OrderStatus,
  readOrder,
  statusNames,
  sumRefunds,
  trashOrder,
} from '../orders.ts'
import { asText } from '../php.ts'
import { formatPrice } from '../pricing.ts'
import type { Shop } from '../shop.ts'
import { selectAll } from '../sqlite.ts'
import { listWebhooks } from '../webhooks.ts'
import { renderName } from './layout.ts'
import { show, type View } from './visit.ts'

const MAX_ORDERS = 60

export function renderAdminPage(view: View): FastifyReply {
  const { shop, query } = view
  const status = asText(query.status) ?? ''
  const filter = status in statusNames || status === 'trash' ? `where status = '${status}'` : `where status <> 'trash'`
  const rows = selectAll<{ doc: string }>(
    shop.db,
    `select doc from orders ${filter} order by modified desc, id desc limit ${MAX_ORDERS}`,
  )
  const tabs = [['', 'All'], ...Object.entries(statusNames)].map(
    ([slug, name]) =>
      `<a href="/wp-admin/${slug ? `?status=${slug}` : ''}"${slug === status ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  const body = `<h1>Store admin</h1><nav class="tabs" aria-label="Order status">${tabs.join('')}</nav>
${
  rows.length
    ? renderTable(
        'Order,Changed,Shopper,Items,Total,Status,',
        rows.map((row) => orderRow(shop, readOrder(row)!)),
      )
    : '<p class="empty">No orders here.</p>'
}
<h2>Coupons</h2>${renderTable(
    'Code,Type,Amount,Used,Expires',
    listCoupons(shop).map((coupon) => renderCouponRow(shop, coupon)),
  )}
<h2>Webhooks</h2>${renderWebhooks(shop)}
<h2>REST API</h2>${renderOwnerKeySection(shop)}`
  return show(view, { title: 'Store admin', body })
}

export function handleAdminForm(view: View, form: URLSearchParams): FastifyReply {
  const { shop, reply } = view
  const order = findOrder(shop, Number(form.get('order')))
  const action = form.get('do') ?? ''
  if (order && action === 'refund')
    addRefund(shop, order, order.totalMinor - sumRefunds(shop, order.id), 'Refunded by the owner')
  else if (order && action === 'trash') trashOrder(shop, order)
  else if (order && action in statusNames) changeStatus(shop, order, action as OrderStatus)
  return reply.redirect('/wp-admin/', 303)
}

function orderRow(shop: Shop, order: Order): string {
  const items = order.lines.map(({ name, quantity }) => `${renderName(name)} × ${quantity}`).join('<br>')
  const who = `${escapeHtml(`${order.billing.first_name} ${order.billing.last_name}`.trim() || '–')}<br><small>${escapeHtml(order.billing.email)}</small>`
  return `<tr><td>${order.id}</td><td>${formatLocalTime(order.modifiedAt).replace('T', ' ')}</td><td>${who}</td><td>${items}</td><td>${formatPrice(shop, order.totalMinor)}</td>
<td><span class="status ${order.status}">${statusNames[order.status] ?? order.status}</span></td><td>${renderButtons(shop, order)}</td></tr>`
}

function renderButtons(shop: Shop, order: Order): string {
  const renderButton = (action: string, label: string) =>
    `<button class="button small quiet" name="do" value="${action}" aria-label="${label} order ${order.id}">${label}</button>`
  const isOpen = ['pending', 'failed', 'on-hold'].includes(order.status)
  const isPaid = ['processing', 'completed'].includes(order.status) && sumRefunds(shop, order.id) < order.totalMinor
  const list = [
    isOpen ? renderButton('processing', 'Mark paid') : '',
    order.status === 'processing' ? renderButton('completed', 'Complete') : '',
    isOpen || order.status === 'processing' ? renderButton('cancelled', 'Cancel') : '',
    isPaid ? renderButton('refund', 'Refund') : '',
    order.status === 'trash' ? '' : renderButton('trash', 'Trash'),
  ]
  return `<form method="post" action="/wp-admin/" class="row-buttons"><input type="hidden" name="order" value="${order.id}">${list.join('')}</form>`
}

function renderCouponRow(shop: Shop, coupon: Coupon): string {
  const amount =
    coupon.discountType === 'percent' ? `${coupon.amountMinor / 100} %` : formatPrice(shop, coupon.amountMinor)
  const used = `${coupon.usageCount}${coupon.usageLimit === null ? '' : ` of ${coupon.usageLimit}`}`
  const until = coupon.expiresAt === null ? 'never' : formatLocalTime(coupon.expiresAt).replace('T', ' ')
  const type = coupon.freeShipping ? 'free shipping' : coupon.discountType.replace('_', ' ')
  return `<tr><td><code>${escapeHtml(coupon.code)}</code></td><td>${type}</td><td>${amount}</td><td>${used}</td><td>${until}</td></tr>`
}

/** The key for connecting another account. The store listens on this machine only. */
function renderOwnerKeySection(shop: Shop): string {
  const keys = selectAll<ApiKey>(shop.db, 'select * from api_keys where description = ?', OWNER_KEY)
  const rows = keys.map(
    (key) =>
      `<tr><td>${escapeHtml(key.description)}</td><td><code>${escapeHtml(key.consumer_key)}</code></td><td><code>${escapeHtml(key.consumer_secret)}</code></td><td>Read/Write</td></tr>`,
  )
  return `<p>To try Recoup with your own account, enter this store’s address and key under “Connect your store”.</p>${renderTable('Description,Consumer key,Consumer secret,Permissions', rows)}`
}

function renderWebhooks(shop: Shop): string {
  const rows = listWebhooks(shop).map(
    (hook) =>
      `<tr><td>${hook.id}</td><td>${escapeHtml(hook.topic)}</td><td>${escapeHtml(hook.delivery_url)}</td><td>${hook.status}</td><td>${hook.failures}</td></tr>`,
  )
  return rows.length ? renderTable('Id,Topic,Delivery URL,Status,Failures', rows) : '<p class="empty">None yet.</p>'
}

function renderTable(heads: string, rows: string[]): string {
  const cells = heads.split(',').map((head) => `<th>${head || '<span class="hidden">Actions</span>'}</th>`)
  return `<div class="scroll"><table><thead><tr>${cells.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}
