import type { Contact, FactPayload, Fold, FoldItem } from '../../core/schema/public.ts'

// Replaces contacts and item choices (engravings) of an erased shopper in facts by marks (C8). The marks keep which
// fields were set and which were equal, so that folding the facts again gives the same carts (S7). The country stays:
// it does not identify a person, and reports count carts by it. Pure.

const FIELDS = ['email', 'phone', 'unconfirmedEmail', 'unconfirmedPhone', 'firstName', 'lastName'] as const
/** An address has one mark, whether confirmed or not. */
const KINDS: Partial<Record<string, string>> = { unconfirmedEmail: 'email', unconfirmedPhone: 'phone' }
const MARK = /^erased:(\d+)$/

/** Removes marks, for display and for columns. */
export function removeErasedContact(contact: Contact): Contact {
  const marked = FIELDS.filter((field) => MARK.test(contact[field] ?? ''))
  if (marked.length === 0) return contact
  return Object.fromEntries(
    Object.entries(contact).filter(([field]) => !(marked as readonly string[]).includes(field)),
  ) as Contact
}

/** Returns undefined for marks. */
export const removeErasedChoices = (choices: FoldItem['choices']): FoldItem['choices'] =>
  choices?.some(({ value }) => MARK.test(value)) ? undefined : choices

/** Removes the checkout: its URL opens it, with the name and address typed there. */
const removeCheckout = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'checkout')) as T

interface Browsers {
  toldBy?: string[]
  browsers?: string[]
}

export interface Eraser {
  payload(payload: FactPayload): FactPayload
  fold(fold: Fold): Fold
}

/** Create one for all facts and carts of a shopper: equal values get equal marks. `known`: all data to be erased. */
export function createEraser(known: unknown): Eraser {
  const marks = new Map<string, string>()
  const before = [...JSON.stringify(known).matchAll(/"erased:(\d+)"/g)].map(([, number]) => Number(number))
  const first = Math.max(0, ...before) + 1
  const buildMark = (field: string, value: string) => {
    if (MARK.test(value)) return value
    const key = `${KINDS[field] ?? field}\0${value}`
    const mark = marks.get(key) ?? `erased:${first + marks.size}`
    marks.set(key, mark)
    return mark
  }
  const erase = (contact: Contact): Contact => ({
    ...Object.fromEntries(
      FIELDS.flatMap((field) => {
        const value = contact[field]
        return value ? [[field, buildMark(field, value)]] : []
      }),
    ),
    ...(contact.country && { country: contact.country }),
    ...(contact.countrySource && { countrySource: contact.countrySource }),
  })
  const unchosen = (items: readonly FoldItem[]): FoldItem[] =>
    items.map((item) =>
      item.choices
        ? {
            ...item,
            choices: item.choices.map(({ name, value }) => ({
              name: buildMark('choice', name),
              value: buildMark('choice', value),
            })),
          }
        : item,
    )
  /** Of the browsers, keeps only which reports came from the same one. */
  const unmarked = <T extends Browsers>(fields: T): T => ({
    ...fields,
    ...(fields.toldBy && { toldBy: fields.toldBy.map((mark) => buildMark('browser', mark)) }),
    ...(fields.browsers && { browsers: fields.browsers.map((mark) => buildMark('browser', mark)) }),
  })
  return {
    payload(payload) {
      if (payload.type === 'lost') return payload
      if (payload.type === 'order') {
        const { locale: _, ...order } = payload
        return { ...order, items: unchosen(order.items), contact: erase(order.contact) }
      }
      // Page and sequence number matter only for later posts, which belong to a new shopper.
      const { page: _, seq: __, zone: ___, locale: ____, ...fields } = payload
      const known = unmarked(removeCheckout(fields))
      const rest = known.type === 'snapshot' ? { ...known, items: unchosen(known.items) } : known
      return rest.contact ? ({ ...rest, contact: erase(rest.contact) } as FactPayload) : rest
    },
    fold: ({ locale: _, ...fold }) => ({
      ...fold,
      contact: erase(fold.contact),
      episode: fold.episode && {
        ...unmarked(removeCheckout(fold.episode)),
        items: unchosen(fold.episode.items),
        contact: erase(fold.episode.contact),
        ...(fold.episode.others && {
          others: fold.episode.others.map((other) => ({
            ...unmarked(other),
            items: unchosen(other.items),
            contact: erase(other.contact),
          })),
        }),
      },
    }),
  }
}
