import type { Contact, FactPayload, Fold, FoldItem } from '../../core/schema/facts.ts'

// What is left of a person's contact, and of what they chose or typed for an item (an engraving), in facts once they were erased (C8): which
// fields were said, and which were the same. So folding
// the facts again gives the same carts (S7): that somebody told a new address was activity. The country stays: it tells nobody from others, and
// carts are counted by it. Pure.

const FIELDS = ['email', 'phone', 'unconfirmedEmail', 'unconfirmedPhone', 'firstName', 'lastName'] as const
/** An address has one mark, confirmed or not. */
const KINDS: Partial<Record<string, string>> = { unconfirmedEmail: 'email', unconfirmedPhone: 'phone' }
const MARK = /^erased:(\d+)$/

/** Without marks: what may be shown and written in columns. */
export function readableContact(contact: Contact): Contact {
  const marked = FIELDS.filter((field) => MARK.test(contact[field] ?? ''))
  if (marked.length === 0) return contact
  return Object.fromEntries(
    Object.entries(contact).filter(([field]) => !(marked as readonly string[]).includes(field)),
  ) as Contact
}

/** None where they are marks. */
export const readableChoices = (choices: FoldItem['choices']): FoldItem['choices'] =>
  choices?.some(({ value }) => MARK.test(value)) ? undefined : choices

/** The address of a checkout opens it, with the name and the address that were typed there. */
const withoutCheckout = <T extends object>(said: T): T =>
  Object.fromEntries(Object.entries(said).filter(([field]) => field !== 'checkout')) as T

interface Browsers {
  toldBy?: string[]
  browsers?: string[]
}

export interface Eraser {
  payload(payload: FactPayload): FactPayload
  fold(fold: Fold): Fold
}

/** One for all of a person's facts and carts: the same value gets the same mark. `known`: all they are about to be asked for. */
export function createEraser(known: unknown): Eraser {
  const marks = new Map<string, string>()
  const before = [...JSON.stringify(known).matchAll(/"erased:(\d+)"/g)].map(([, number]) => Number(number))
  const first = Math.max(0, ...before) + 1
  const markOf = (field: string, value: string) => {
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
        return value ? [[field, markOf(field, value)]] : []
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
              name: markOf('choice', name),
              value: markOf('choice', value),
            })),
          }
        : item,
    )
  /** Which told the same is all that is left of browsers. */
  const unmarked = <T extends Browsers>(said: T): T => ({
    ...said,
    ...(said.toldBy && { toldBy: said.toldBy.map((mark) => markOf('browser', mark)) }),
    ...(said.browsers && { browsers: said.browsers.map((mark) => markOf('browser', mark)) }),
  })
  return {
    payload(payload) {
      if (payload.type === 'lost') return payload
      if (payload.type === 'order') {
        return { ...payload, items: unchosen(payload.items), contact: erase(payload.contact) }
      }
      // Which page of a browser said it is of use only for posts still to come, and those are somebody new's.
      const { page: _, seq: __, zone: ___, ...said } = payload
      const known = unmarked(withoutCheckout(said))
      const rest = known.type === 'snapshot' ? { ...known, items: unchosen(known.items) } : known
      return rest.contact ? ({ ...rest, contact: erase(rest.contact) } as FactPayload) : rest
    },
    fold: (fold) => ({
      ...fold,
      contact: erase(fold.contact),
      episode: fold.episode && {
        ...unmarked(withoutCheckout(fold.episode)),
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
