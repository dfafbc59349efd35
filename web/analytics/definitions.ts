// What each number means (decisions 91 to 99), one hover or focus away from it.

export const definitions = {
  revenueOpportunity:
    'Value of the carts abandoned in these days that have not been bought by now, at the prices when they were abandoned.',
  averageCartValue: 'Mean value of the carts abandoned in these days.',
  abandonmentRate:
    'Of the carts that began in these days and are not being filled any more, the share that was abandoned, as of now.',
  customerLifetimeValue: 'Net revenue of all orders known, divided by the customers who have ordered.',
  openRate:
    'Emails opened by a person, of the emails accepted, without those that only machines opened. As reported by mail programs: blocked pictures hide opens.',
  clickRate: 'Emails with a link clicked by a person, of the emails accepted.',
  conversionRate: 'Emails with an order attributed to them, of the emails accepted.',
  revenuePerEmail: 'Net revenue attributed to these emails, divided by the emails accepted.',
  new: 'Customers whose first known order is in these days.',
  returning: 'Customers with an order in these days and one before them.',
  repeatPurchaseRate: 'Of the customers with an order in these days, the share that has ordered at least twice ever.',
  avgOrdersPerCustomer: 'Orders in these days, divided by the customers who placed them.',
  cartAbandonmentRate: 'As the abandonment rate above.',
  platformCartValue: 'As the average cart value above.',
  cartConversionRate: 'Carts bought, of the carts that began in these days.',
  checkoutAbandonmentRate: 'Of the checkouts begun in these days, the share that was not completed.',
  averageOrderValue: 'Net revenue of the orders of these days, divided by their number.',
  abandonedCount: 'Carts abandoned in these days that hold the product.',
  recoveryRate: 'Of these carts, the share recovered by now.',
  revenueLost: 'Value of the product in carts abandoned in these days and not bought by now.',
  attributed:
    'Orders that followed a person’s click in a message, its coupon or a restored cart. Each order counts once, for the last of them.',
  assisted:
    'Orders without such a click, whose shopper had received a message within the attribution window before. They may have been bought anyway.',
  organic: 'All other orders.',
  byHour: 'Messages by the time between leaving the cart and the message.',
} as const
