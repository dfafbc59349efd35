import type { Contact, Episode, FactPayload, Fold, FoldItem, OtherCart } from '../../core/schema/public.ts'
import { hasSameContact, hasSameCoupons, hasSameItems, mergeContact } from './compare.ts'

// Tracks the cart of each browser of one shopper (S6). Any visitor can type another person's address into a shop's page.
// So a browser may change its own contents and its own name only. Pure.

/** Limit of other carts besides the shown one. More come only from an attack. */
const MAX_OTHERS = 5
/** Limit of marks for one browser: its device and its carts. The newest are kept. */
const MAX_MARKS = 40
/** WooCommerce deletes a guest's cart after two days, so no browser holds an older one. */
const MAX_AGE_MS = 2 * 86_400_000

export type BrowserReport = Extract<FactPayload, { type: 'snapshot' | 'contact' }>

/** Empty when the store reported the fact, or when the browser is unknown. */
const listMarks = (report: BrowserReport): readonly string[] =>
  (report.type === 'snapshot' ? report.browsers : undefined) ?? report.toldBy ?? []

/** Whether the store vouches for the fact: it is signed, or was read from the store with the shopper's address. */
const isByStore = (report: BrowserReport): boolean =>
  report.isSigned === true ||
  (report.type === 'snapshot' && report.toldBy === undefined && report.contact !== undefined)

const overlap = (a: readonly string[], b: readonly string[]) => a.some((mark) => b.includes(mark))
const mergeMarks = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].slice(-MAX_MARKS)

const listBrowserMarks = ({ browsers, toldBy }: Episode): readonly string[] => browsers ?? toldBy ?? []

/** Whether another browser reported this than the one whose contents the episode shows. */
export function isFromOtherBrowser(episode: Episode, report: BrowserReport): boolean {
  const [marks, known] = [listMarks(report), listBrowserMarks(episode)]
  if (report.isBack || marks.length === 0) return false
  if (known.length > 0) return !overlap(known, marks)
  // Only the store has reported this cart so far. The browser that holds it reports the same contents.
  return episode.isProven === true && !(report.type === 'snapshot' && hasSameItems(report.items, episode.items))
}

/** Adds the marks and the proof of the browser whose contents are shown. `at`: time of its report. */
export function addReporter(episode: Episode, report: BrowserReport, at: number): Episode {
  const browsers = mergeMarks(listBrowserMarks(episode), listMarks(report))
  return {
    ...episode,
    toldAt: at,
    ...(browsers.length > 0 && { browsers }),
    ...(isByStore(report) && { isProven: true as const }),
  }
}

/** A store names no browser. Its report concerns the cart with the same contents, else the shown one. */
export function showCartWithItems(fold: Fold, items: readonly FoldItem[]): Fold {
  const { episode } = fold
  if (episode?.status !== 'open' || hasSameItems(items, episode.items)) return fold
  const same = episode.others?.find((other) => hasSameItems(items, other.items))
  return same ? showCart(fold, same) : fold
}

/**
 * Stores the report of another browser and shows it if it is the newest. An unproven page never replaces contents that
 * the store reported. A repeated report is shown but not activity: two browsers that repeat their carts in turn would
 * otherwise keep the cart from becoming abandoned (S1).
 */
export function storeOtherCart(fold: Fold, report: BrowserReport, at: number): Fold {
  const episode = fold.episode!
  const marks = listMarks(report)
  const { mine, rest } = splitOthers(episode, marks)
  const contact = mergeContact(mine?.contact ?? {}, report.contact ?? {})
  const isProven = isByStore(report) || mine?.isProven === true
  const contents =
    report.type === 'snapshot'
      ? { items: report.items, coupons: report.coupons, ...(report.toldBy && { toldBy: report.toldBy }) }
      : { items: mine?.items ?? [], coupons: mine?.coupons ?? [], ...(mine?.toldBy && { toldBy: mine.toldBy }) }
  const other: OtherCart = {
    ...contents,
    browsers: mergeMarks(mine?.browsers ?? [], marks),
    contact,
    at,
    ...(mine?.isWhole && { isWhole: true as const }),
    ...(isProven && { isProven }),
  }
  const stored = { ...fold, episode: withOthers(episode, [other, ...rest]) }
  const isDisplayed = report.type === 'snapshot' && report.items.length > 0 && (isProven || !episode.isProven)
  if (!isDisplayed) return stored
  const next = showCart(stored, other)
  const { lastActivityAt } = episode
  return {
    ...next,
    episode: {
      ...next.episode!,
      lastActivityAt: isRepeat(mine, other) ? lastActivityAt : Math.max(lastActivityAt, at),
    },
  }
}

const isRepeat = (before: OtherCart | undefined, now: OtherCart): boolean =>
  before !== undefined &&
  hasSameItems(before.items, now.items) &&
  hasSameCoupons(before.coupons, now.coupons) &&
  hasSameContact(before.contact, now.contact)

/** After a browser emptied the shown cart: shows the newest other cart, or returns null if all are empty. */
export function showNextCart(fold: Fold, at: number): Fold | null {
  const next = fold.episode!.others?.find((other) => other.items.length > 0 && at - (other.at ?? 0) < MAX_AGE_MS)
  if (!next) return null
  const { episode, contact } = showCart(fold, next)
  const others = (episode!.others ?? []).filter(({ browsers }) => !overlap(browsers, listBrowserMarks(fold.episode!)))
  return { ...fold, contact, episode: withOthers({ ...episode!, lastActivityAt: at }, others) }
}

function splitOthers({ others = [] }: Episode, marks: readonly string[]) {
  const mine = others.find(({ browsers }) => overlap(browsers, marks))
  return { mine, rest: others.filter((each) => each !== mine) }
}

function withOthers({ others: _, ...episode }: Episode, others: readonly OtherCart[]): Episode {
  return others.length > 0 ? { ...episode, others: others.slice(0, MAX_OTHERS) } : episode
}

/** Shows another cart and moves the shown one to the others. */
function showCart(fold: Fold, other: OtherCart): Fold {
  const { items, coupons, contact: before, toldBy, toldAt, isProven, browsers: _, ...episode } = fold.episode!
  const aside: OtherCart = {
    browsers: [...listBrowserMarks(fold.episode!)],
    items,
    coupons,
    contact: before,
    isWhole: true,
    at: toldAt ?? episode.lastActivityAt,
    ...(toldBy && { toldBy }),
    ...(isProven && { isProven }),
  }
  const tellers = hasSameItems(items, other.items) ? mergeMarks(toldBy ?? [], other.toldBy ?? []) : (other.toldBy ?? [])
  const contact = restoreContact(before, other)
  const rest = (episode.others ?? []).filter((each) => each !== other)
  const next: Episode = {
    ...episode,
    items: other.items,
    coupons: other.coupons,
    contact,
    browsers: other.browsers,
    ...(other.at !== undefined && { toldAt: other.at }),
    ...(tellers.length > 0 && { toldBy: tellers }),
    ...(other.isProven && { isProven: other.isProven }),
  }
  return { ...fold, contact, episode: withOthers(next, [aside, ...rest]) }
}

/** A cart that was shown before restores its whole contact. A new one adds to the known contact. */
function restoreContact(before: Contact, { contact, isWhole }: OtherCart): Contact {
  const isReached = contact.email || contact.phone || contact.unconfirmedEmail || contact.unconfirmedPhone
  return isWhole && isReached ? contact : mergeContact(before, contact)
}
