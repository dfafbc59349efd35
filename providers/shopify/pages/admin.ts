// A minimal admin for the demo: orders with staff actions, theme code, password page, codes and webhooks. It has no
// login.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { computeDiscountStatus } from '../graphql/discounts.ts'
import type { Discount, Order } from '../model.ts'
import { changeOrder, type OrderAction } from '../orders.ts'
import { listAll, listByOwner, listWhere } from '../records.ts'
import { plans, readSetup, type Shop, writeSetup } from '../shop.ts'
import { formatMoney, readThemeHead, writeThemeHead } from './layout.ts'
import { show, type View } from './visit.ts'

const ACTION_LABELS: Record<OrderAction, string> = {
  pay: 'Mark as paid',
  fulfil: 'Fulfill',
  refund: 'Refund',
  cancel: 'Cancel',
  void: 'Void',
}

export function renderAdminPage(view: View): FastifyReply {
  const { shop } = view
  const { app, plan, password } = readSetup(shop)
  const orders = listWhere<'order'>(shop.db, 'kind = ? order by updated desc, id desc limit 50', 'order')
  const discounts = listWhere<'discount'>(shop.db, 'kind = ? order by id desc limit 50', 'discount')
  const body = `<h1>Store admin</h1>
<section class="panel"><h2>App “Recoup”</h2><dl class="facts"><div><dt>Client id</dt><dd><code>${escapeHtml(app.clientId)}</code></dd></div>
<div><dt>Client secret</dt><dd><code>${escapeHtml(app.secret)}</code></dd></div><div><dt>Scopes</dt><dd>${escapeHtml(app.scopes.join(', '))}</dd></div>
<div><dt>Plan</dt><dd>${escapeHtml(plans[plan].name)}</dd></div></dl></section>
${renderThemeForm(shop)}${renderPasswordForm(password)}
<h2>Orders</h2>${orders.length ? renderTable('Orders', 'Order,Customer,Items,Total,Payment,Fulfillment,', orders.map(orderRow)) : '<p class="empty">No orders yet.</p>'}
<h2>Discounts</h2>${renderTable(
    'Discounts',
    'Title,Codes,Used,Status',
    discounts.map((each) => renderDiscountRow(shop, each)),
  )}
<h2>Webhooks</h2>${renderWebhooks(shop)}`
  return show(view, { title: 'Store admin', body, isOutsideTheme: true })
}

const renderThemeForm = (shop: Shop) => `<section class="panel"><h2>Theme code</h2><form method="post" action="/admin">
<label for="head">theme.liquid, before &lt;/head&gt;</label><textarea id="head" name="head" rows="4" spellcheck="false">${escapeHtml(readThemeHead(shop))}</textarea>
<button class="button small" name="do" value="theme">Save theme</button></form></section>`

const renderPasswordForm = (
  password: string | null,
) => `<section class="panel"><h2>Password page</h2><form method="post" action="/admin">
<label for="password">Password <span class="hint">(empty: the store is open to everybody)</span></label>
<input id="password" name="password" autocomplete="off" value="${escapeHtml(password ?? '')}"><button class="button small" name="do" value="password">Save password</button></form></section>`

function orderRow(order: Order): string {
  const who = order.address ? `${order.address.firstName} ${order.address.lastName}`.trim() : ''
  const items = order.lines.map(({ title, quantity }) => `${escapeHtml(title)} × ${quantity}`).join('<br>')
  const word = (text: string) => text.toLowerCase().replaceAll('_', ' ')
  return `<tr><td>#${order.number}</td><td>${escapeHtml(who || '–')}<br><small>${escapeHtml(order.email ?? '')}</small></td><td>${items}</td><td>${formatMoney(order.totalMinor)}</td>
<td><span class="status">${order.cancelledAt ? 'cancelled, ' : ''}${word(order.financialStatus)}</span></td><td>${word(order.fulfillmentStatus)}</td><td>${renderButtons(order)}</td></tr>`
}

function renderButtons(order: Order): string {
  const isOpen = order.cancelledAt === null
  const isUnpaid = ['PENDING', 'AUTHORIZED'].includes(order.financialStatus)
  const fits: Record<OrderAction, boolean> = {
    pay: isOpen && isUnpaid,
    fulfil: isOpen && order.fulfillmentStatus === 'UNFULFILLED',
    refund: order.financialStatus === 'PAID',
    cancel: isOpen,
    void: isOpen && isUnpaid,
  }
  const renderButton = (action: OrderAction) =>
    `<button class="button small quiet" name="deed" value="${action}" aria-label="${ACTION_LABELS[action]} order #${order.number}">${ACTION_LABELS[action]}</button>`
  const actions = (Object.keys(ACTION_LABELS) as OrderAction[]).filter((action) => fits[action])
  return `<form method="post" action="/admin" class="row-buttons"><input type="hidden" name="do" value="order"><input type="hidden" name="order" value="${order.id}">${actions.map(renderButton).join('')}</form>`
}

function renderDiscountRow(shop: Shop, discount: Discount): string {
  const codes = listByOwner(shop.db, 'code', discount.id)
  const names = codes.slice(0, 3).map(({ code }) => `<code>${escapeHtml(code)}</code>`)
  const more = codes.length > 3 ? ` and ${codes.length - 3} more` : ''
  const used = codes.reduce((sum, { uses }) => sum + uses, 0)
  return `<tr><td>${escapeHtml(discount.title)}</td><td>${names.join(' ')}${more}</td><td>${used}</td><td>${computeDiscountStatus(shop, discount).toLowerCase()}</td></tr>`
}

function renderWebhooks(shop: Shop): string {
  const rows = listAll(shop.db, 'webhook').map(
    ({ topic, uri, failures }) =>
      `<tr><td>${escapeHtml(topic)}</td><td>${escapeHtml(uri)}</td><td>${failures}</td></tr>`,
  )
  return rows.length
    ? renderTable('Webhooks', 'Topic,Address,Failures in a row', rows)
    : '<p class="empty">None yet.</p>'
}

function renderTable(name: string, heads: string, rows: string[]): string {
  const cells = heads.split(',').map((head) => `<th>${head || '<span class="hidden">Actions</span>'}</th>`)
  return `<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${cells.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

export function handleAdminForm(view: View): FastifyReply {
  const { shop, form, reply } = view
  const command = form.get('do')
  if (command === 'theme') writeThemeHead(shop, (form.get('head') ?? '').slice(0, 20_000))
  if (command === 'password') writeSetup(shop, { ...readSetup(shop), password: form.get('password')?.trim() || null })
  const action = form.get('deed') ?? ''
  if (command === 'order' && action in ACTION_LABELS)
    changeOrder(view, Number(form.get('order')), action as OrderAction)
  return reply.redirect('/admin', 303)
}
