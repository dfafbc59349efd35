// Values that a new rendering plan is tried with before it is used: two sets, each of the shape that the plan is for. Pure.
import type { TemplateContext, TemplateCoupon, TemplateItem } from '../context.ts'
import type { Values } from '../values.ts'
import { discountedTotalOf } from './shape.ts'

interface Trial {
  /** Something to say of what is called `name`: the two differ, and so do all names of each. */
  text(name: string): string
  token: string
  quantity: number
  /** Where the template leaves that open. */
  count: number
}

const TRIALS: readonly Trial[] = [
  {
    text: (name) => `Zoë <b>"O'N" &amp; {{ ${name}`,
    ...{ token: 'A-_z', quantity: 3, count: 2 },
  },
  {
    text: (name) => `${name} שלום 🛒 ${'long '.repeat(20)}`,
    ...{ token: 'b9'.repeat(22), quantity: 12, count: 14 },
  },
]

export const trialsOf = (context: TemplateContext, values: Values, usesItems: boolean): TemplateContext[] =>
  TRIALS.map((trial) => ({
    ...context,
    customerName: trial.text('name'),
    cartTotal: values.cartTotal && trial.text('total'),
    items: itemsFor(trial, context, values, usesItems),
    ...{ coupon: couponFor(trial, values, values.coupon), entered: couponFor(trial, values, values.entered) },
    checkoutLink: `https://trial.invalid/c/${trial.token}`,
    unsubscribeLink: `https://trial.invalid/u/${trial.token}`,
    ...(context.preferencesLink && { preferencesLink: `https://trial.invalid/p?token=${trial.token}` }),
    ...(context.trackers && {
      trackers: {
        honeypotLink: `https://trial.invalid/h/${trial.token}`,
        pixelUrl: `https://trial.invalid/o/${trial.token}`,
      },
    }),
  }))

function itemsFor(trial: Trial, context: TemplateContext, values: Values, usesItems: boolean): TemplateItem[] {
  const like = (item: Pick<TemplateItem, 'unitPrice' | 'lineTotal' | 'isGone'>, at: number): TemplateItem => ({
    ...{ name: trial.text(`i${at}`), quantity: trial.quantity + at, isGone: item.isGone === true },
    unitPrice: item.unitPrice && trial.text(`u${at}`),
    lineTotal: item.lineTotal && trial.text(`l${at}`),
    imageUrl: at % 2 ? null : 'https://trial.invalid/picture.png',
  })
  if (usesItems) return values.items.map(like)
  return Array.from({ length: context.items.length && trial.count }, (_, at) =>
    like({ unitPrice: '1', lineTotal: '1', isGone: at === 1 }, at),
  )
}

function couponFor(trial: Trial, values: Values, coupon: TemplateCoupon | null): TemplateCoupon | null {
  if (coupon === null) return null
  const isSame = discountedTotalOf(values) === values.cartTotal
  return {
    ...{ code: coupon.code && trial.text('code'), amount: coupon.amount && trial.text('amount') },
    ...{ offer: coupon.offer && trial.text('offer'), minimum: coupon.minimum && trial.text('minimum') },
    ...{ expires: coupon.expires && trial.text('expires'), saving: coupon.saving && trial.text('saving') },
    total: coupon.total && trial.text(isSame ? 'total' : 'discounted'),
  }
}
