// Values that stand for a shopper's while a rendering plan is made, and the cuts at them. Pure.
import type { CleanItem } from '../items.ts'
import type { Values } from '../values.ts'
import type { Pieces, Slot, ValueName } from './plan.ts'
import { discountedTotalOf } from './shape.ts'

export class StandIns {
  readonly slots: Slot[] = []
  readonly #signs: string[] = []
  readonly #known = new Map<string, string>()
  readonly #name: string
  readonly #pattern: RegExp

  /** `name`: letters and digits that stand in no text of the owner or the shop. */
  constructor(name: string) {
    this.#name = name
    this.#pattern = new RegExp(`(?:https://)?${name}(\\d+)x(?:\\.invalid/c)?`, 'gi')
  }

  /** One word, which every part of the renderer leaves as it is. */
  word = (slot: Slot): string => this.#sign(slot, (at) => `${this.#name}${at}x`)

  link = (slot: Slot): string => this.#sign(slot, (at) => `https://${this.#name}${at}x.invalid/c`)

  #sign(slot: Slot, signOf: (at: number) => string): string {
    const key = JSON.stringify(slot)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const sign = signOf(this.slots.length)
    this.#known.set(key, sign)
    this.#signs.push(sign)
    this.slots.push(slot)
    return sign
  }

  /** What is empty stays so: with that it is as much a part of the shape as what is there. */
  valuesFor(values: Values, usesItems: boolean): Values {
    const { coupon, entered, cartTotal, footer, trackers } = values
    const of = (name: ValueName, value: string) => (value === '' ? '' : this.word({ of: 'value', name }))
    const maybe = (name: ValueName, value: string | null) => (value === null ? null : of(name, value))
    const total = (value: string | null) =>
      maybe(discountedTotalOf(values) === cartTotal ? 'cart_total' : 'discounted_total', value)
    const link = (name: 'preferences' | 'honeypot' | 'pixel', value: string | null) =>
      value === null ? null : this.link({ of: 'link', name })
    return {
      ...values,
      customerName: of('customer_name', values.customerName),
      cartTotal: of('cart_total', cartTotal),
      checkoutLink: this.link({ of: 'link', name: 'checkout' }),
      coupon: coupon && {
        ...{ code: of('coupon_code', coupon.code), amount: of('coupon_amount', coupon.amount) },
        ...{ offer: of('coupon_offer', coupon.offer), minimum: maybe('coupon_minimum', coupon.minimum) },
        ...{ expires: maybe('coupon_expires', coupon.expires), saving: null, total: total(coupon.total) },
      },
      entered: entered && { ...entered, total: total(entered.total) },
      items: usesItems ? values.items.map((item, at) => this.#itemFor(item, at)) : [],
      footer: {
        ...footer,
        unsubscribeLink: this.link({ of: 'link', name: 'unsubscribe' }),
        preferencesLink: link('preferences', footer.preferencesLink),
      },
      trackers: {
        honeypotLink: link('honeypot', trackers.honeypotLink),
        pixelUrl: link('pixel', trackers.pixelUrl),
      },
    }
  }

  #itemFor(item: CleanItem, at: number): CleanItem {
    const of = (name: 'unitPrice' | 'lineTotal') => (item[name] === '' ? '' : this.word({ of: 'item', at, name }))
    return {
      ...{ ...item, name: this.word({ of: 'item', at, name: 'name' }), imageUrl: null },
      // A template prints it and does nothing else with it.
      quantity: this.word({ of: 'item', at, name: 'quantity' }) as unknown as number,
      ...{ unitPrice: of('unitPrice'), lineTotal: of('lineTotal') },
    }
  }

  /** Where signs stand in a text; one that is not as it was is in no list, and `cut` finds it. */
  placesIn(text: string): { at: number; end: number; number: number }[] {
    return [...text.matchAll(this.#pattern)].map((match) => ({
      ...{ at: match.index, end: match.index + match[0].length },
      number: this.#signs[Number(match[1])] === match[0] ? Number(match[1]) : -1,
    }))
  }

  /** The number among the tracked links; null: it stands for none. */
  trackedAt(sign: string): number | null {
    const slot = this.slots[this.numberOf(sign)]
    return slot?.of === 'tracked' ? slot.at : null
  }

  /** −1: it is no sign. */
  numberOf = (sign: string): number => this.#signs.indexOf(sign)

  isLink = (number: number): boolean => this.#signs[number]?.startsWith('https://') === true

  /** null: a sign is not as it was. */
  cut(text: string): Pieces | null {
    const places = this.placesIn(text)
    if (places.some(({ number }) => number < 0)) return null
    const ends = [0, ...places.map(({ end }) => end)]
    const texts = ends.map((from, at) => text.slice(from, places[at]?.at ?? text.length))
    if (texts.some((each) => each.toLowerCase().includes(this.#name))) return null
    return { texts, slots: places.map(({ number }) => number) }
  }
}
