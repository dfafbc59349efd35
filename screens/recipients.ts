import { listAbandonedCarts } from '../shared/carts/carts.ts'
import { countAudience, findProducts, listAudiences } from '../shared/marketing/audience.ts'
import { type AbandonedCustomer, abandonedCustomers } from '../shared/marketing/customers.ts'
import { discountEligibility, previewDiscount, READY_DISCOUNT } from '../shared/marketing/discount-mail.ts'
import { previewMessage } from '../shared/marketing/message-preview.ts'
import { type Api, fixture } from './api.ts'
import { buildPreview } from './flows-api.ts'

// Mock of the server for choosing recipients: the shoppers of the recorded carts.

export const recipients: AbandonedCustomer[] = fixture(listAbandonedCarts)
  .carts.map((cart) => ({
    _id: cart.customer_id!,
    ...cart.customer_data,
    customer_email: cart.customer_email,
    phone: cart.phone,
    company: null,
    is_registered: true,
    last_login: null,
    cart_id: cart.id,
    cart_value: cart.total,
    currency: cart.currency,
  }))
  .map(({ whatsapp: _, ...customer }) => customer)
export const buildName = ({ first_name, last_name }: AbandonedCustomer) => `${first_name} ${last_name}`

/** All of them are eligible. */
export function serveRecipients(api: Api): void {
  const findRecipients = (search = '') =>
    recipients.filter((each) => `${buildName(each)} ${each.customer_email}`.includes(search))
  api.answer(listAudiences, { audiences: [] })
  api.answer(findProducts, { products: [] })
  api.answer(abandonedCustomers, ({ query: { search } }) => {
    const customers = findRecipients(search)
    return { customers, next: null, total: customers.length }
  })
  api.answer(countAudience, ({ body: { targetAudience } }) => {
    const total = targetAudience.mode === 'selected' ? targetAudience.customerEmails.length : recipients.length
    return {
      total,
      eligible: total,
      reasons: [],
      judged: null,
      minutes: null,
      left: null,
      quietPercent: 0,
      price: null,
    }
  })
  api.answer(discountEligibility, ({ body: { customers, matching } }) => {
    const eligible = customers ?? findRecipients(matching?.search).map(({ _id }) => _id)
    return { total: eligible.length, eligible, reasons: [] }
  })
  api.answer(previewMessage, ({ body }) => buildPreview(body.subject, body.body))
  api.answer(previewDiscount, ({ body }) =>
    buildPreview(
      body.subject ?? READY_DISCOUNT.subject,
      body.body ?? READY_DISCOUNT.body.replace('# A coupon for you', ''),
    ),
  )
}
