// Default values of a new order.
import { noAddress } from './customers.ts'
import type { FreshOrder } from './orders.ts'

export const EMPTY_ORDER: FreshOrder = {
  status: 'checkout-draft',
  customerId: 0,
  paidAt: null,
  completedAt: null,
  billing: { ...noAddress, email: '' },
  shipping: noAddress,
  paymentMethod: '',
  paymentTitle: '',
  transactionId: '',
  ip: '',
  userAgent: '',
  createdVia: 'store-api',
  customerNote: '',
  cartHash: '',
  meta: [],
  lines: [],
  taxLineId: null,
  shippingLines: [],
  couponLines: [],
  discountMinor: 0,
  discountTaxMinor: 0,
  shippingMinor: 0,
  taxMinor: 0,
  totalMinor: 0,
  isStockTaken: false,
}
