import type { Contact, Episode, FactPayload, Fold, FoldItem, OtherCart } from '../../core/schema/facts.ts'
import { mergeContact, sameContact, sameCoupons, sameItems } from './same.ts'

// What each browser of one person has in its cart (S6). Anybody can type an address into a shop's page, and is then taken for the person who has
// it. So a browser speaks for its own contents and for its own name, and for no other browser's. Pure.

/** Besides the one that is shown. Nobody has more; more are made up. */
const MOST_OTHERS = 5
/** Marks of one browser: of its device, and of the carts that it has had. The newest stay. */
const MOST_MARKS = 40
/** A shop forgets a guest's cart after two days: what is older is in no browser any more. */
const MOST_AGE_MS = 2 * 86_400_000

export type Told = Extract<FactPayload, { type: 'snapshot' | 'contact' }>

/** Empty: the store tells it, or it is not known which browser did. */
const marksOf = (told: Told): readonly string[] =>
  (told.type === 'snapshot' ? told.browsers : undefined) ?? told.toldBy ?? []

/** The store has told of it: signed, or read from it with the person's address. */
const isByStore = (told: Told): boolean =>
  told.isSigned === true || (told.type === 'snapshot' && told.toldBy === undefined && told.contact !== undefined)

const overlap = (a: readonly string[], b: readonly string[]) => a.some((mark) => b.includes(mark))
const joined = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].slice(-MOST_MARKS)

const shownBy = ({ browsers, toldBy }: Episode): readonly string[] => browsers ?? toldBy ?? []

/** Told by another browser than the one whose contents the episode shows. */
export function isOfOther(episode: Episode, told: Told): boolean {
  const [marks, known] = [marksOf(told), shownBy(episode)]
  if (told.isBack || marks.length === 0) return false
  if (known.length > 0) return !overlap(known, marks)
  // Only the store has told of the cart: the browser it is in tells of the same.
  return episode.isProven === true && !(told.type === 'snapshot' && sameItems(told.items, episode.items))
}

/** Marks and proof of the browser whose contents are shown. `at`: it has just told something. */
export function withTeller(episode: Episode, told: Told, at: number): Episode {
  const browsers = joined(shownBy(episode), marksOf(told))
  return {
    ...episode,
    toldAt: at,
    ...(browsers.length > 0 && { browsers }),
    ...(isByStore(told) && { isProven: true as const }),
  }
}

/** A store names no browser: what it tells is about the contents that are the same, or those that are shown. */
export function showSame(fold: Fold, items: readonly FoldItem[]): Fold {
  const { episode } = fold
  if (episode?.status !== 'open' || sameItems(items, episode.items)) return fold
  const same = episode.others?.find((other) => sameItems(items, other.items))
  return same ? shown(fold, same) : fold
}

/**
 * `at`: when the browser reported its cart. The newest report wins, but no page replaces what the store reported. A repeated report is shown
 * again and is no activity: two browsers that repeat their carts in turn would keep the cart from being abandoned (S1).
 */
export function withOther(fold: Fold, told: Told, at: number): Fold {
  const episode = fold.episode!
  const marks = marksOf(told)
  const { mine, rest } = splitOthers(episode, marks)
  const contact = mergeContact(mine?.contact ?? {}, told.contact ?? {})
  const isProven = isByStore(told) || mine?.isProven === true
  const contents =
    told.type === 'snapshot'
      ? { items: told.items, coupons: told.coupons, ...(told.toldBy && { toldBy: told.toldBy }) }
      : { items: mine?.items ?? [], coupons: mine?.coupons ?? [], ...(mine?.toldBy && { toldBy: mine.toldBy }) }
  const other: OtherCart = {
    ...contents,
    browsers: joined(mine?.browsers ?? [], marks),
    contact,
    at,
    ...(mine?.isWhole && { isWhole: true as const }),
    ...(isProven && { isProven }),
  }
  const kept = { ...fold, episode: withOthers(episode, [other, ...rest]) }
  const isShown = told.type === 'snapshot' && told.items.length > 0 && (isProven || !episode.isProven)
  if (!isShown) return kept
  const next = shown(kept, other)
  const { lastActivityAt } = episode
  return {
    ...next,
    episode: {
      ...next.episode!,
      lastActivityAt: isSameAgain(mine, other) ? lastActivityAt : Math.max(lastActivityAt, at),
    },
  }
}

const isSameAgain = (before: OtherCart | undefined, now: OtherCart): boolean =>
  before !== undefined &&
  sameItems(before.items, now.items) &&
  sameCoupons(before.coupons, now.coupons) &&
  sameContact(before.contact, now.contact)

/** What is shown was emptied by its own browser: the newest of the others; null: they have nothing. */
export function showNext(fold: Fold, at: number): Fold | null {
  const next = fold.episode!.others?.find((other) => other.items.length > 0 && at - (other.at ?? 0) < MOST_AGE_MS)
  if (!next) return null
  const { episode, contact } = shown(fold, next)
  const others = (episode!.others ?? []).filter(({ browsers }) => !overlap(browsers, shownBy(fold.episode!)))
  return { ...fold, contact, episode: withOthers({ ...episode!, lastActivityAt: at }, others) }
}

function splitOthers({ others = [] }: Episode, marks: readonly string[]) {
  const mine = others.find(({ browsers }) => overlap(browsers, marks))
  return { mine, rest: others.filter((each) => each !== mine) }
}

function withOthers({ others: _, ...episode }: Episode, others: readonly OtherCart[]): Episode {
  return others.length > 0 ? { ...episode, others: others.slice(0, MOST_OTHERS) } : episode
}

/** One of the others instead of what is shown, which becomes one of them. */
function shown(fold: Fold, other: OtherCart): Fold {
  const { items, coupons, contact: before, toldBy, toldAt, isProven, browsers: _, ...episode } = fold.episode!
  const aside: OtherCart = {
    ...{
      browsers: [...shownBy(fold.episode!)],
      items,
      coupons,
      contact: before,
      isWhole: true,
      at: toldAt ?? episode.lastActivityAt,
    },
    ...(toldBy && { toldBy }),
    ...(isProven && { isProven }),
  }
  const tellers = sameItems(items, other.items) ? joined(toldBy ?? [], other.toldBy ?? []) : (other.toldBy ?? [])
  const contact = contactOf(before, other)
  const rest = (episode.others ?? []).filter((each) => each !== other)
  const next: Episode = {
    ...episode,
    ...{ items: other.items, coupons: other.coupons, contact, browsers: other.browsers },
    ...(other.at !== undefined && { toldAt: other.at }),
    ...(tellers.length > 0 && { toldBy: tellers }),
    ...(other.isProven && { isProven: other.isProven }),
  }
  return { ...fold, contact, episode: withOthers(next, [aside, ...rest]) }
}

/** What was shown before comes back as it was; what is new adds to what is known of the person. */
function contactOf(before: Contact, { contact, isWhole }: OtherCart): Contact {
  const isReached = contact.email || contact.phone || contact.unconfirmedEmail || contact.unconfirmedPhone
  return isWhole && isReached ? contact : mergeContact(before, contact)
}
