import type { Harness } from './harness.ts'
import { type PlayedCampaign, readFigures, readReports } from './play-campaigns.ts'
import type { Cart, State } from './state.ts'

// Expected recipients of a run, recorded when the run first appears. They follow from the carts before and after the
// step in which it started, and from the campaign's settings. Doubtful cases are left out.

const HOUR_MS = 3_600_000

export async function recordExpectedRecipients(
  harness: Harness,
  { state, before }: { state: State; before: State | null },
) {
  harness.reports.clear()
  if (state === before) return
  await readFigures(harness)
  if (harness.isPassDone) await readReports(harness)
  for (const played of harness.campaigns) {
    const runs = state.runs.filter(({ campaign }) => campaign === played.id)
    for (const { run, startedAt } of runs) {
      const isNew = !before?.runs.some((each) => each.campaign === played.id && each.run === run)
      const people =
        isNew && before
          ? findMatches(harness, { campaign: played, state, before, startedAt })
          : (played.expected.get(run) ?? [])
      played.expected.set(
        run,
        isUndisturbed(harness, played) ? people.filter((each) => isUnchanged(each.cart, state, before)) : [],
      )
    }
  }
}

/** The campaign was not changed in the last step, and the store is connected. */
const isUndisturbed = ({ stepNumber, isDisconnected }: Harness, { changedInStep }: PlayedCampaign) =>
  changedInStep < stepNumber && !isDisconnected

interface StartedRun {
  campaign: PlayedCampaign
  state: State
  before: State
  startedAt: number
}

function findMatches(
  harness: Harness,
  { campaign, state, before, startedAt }: StartedRun,
): { cart: string; shopper: string }[] {
  const { plan } = campaign.versions.at(-1)!
  // With this filter, later states do not show who was mailed by then.
  if (plan.filters.mailedBefore) return []
  return state.carts
    .filter((cart) => isUnchanged(cart.id, state, before) && cart.lastActivityAt <= startedAt)
    .filter((cart) => (plan.channel === 'email' ? cart.email : cart.phone) !== null)
    .filter(
      (cart) => plan.people === 'matching' || plan.chosen.some((one) => harness.people[one]!.email === cart.email),
    )
    .filter((cart) => isInAudience(plan.filters, cart, startedAt) && !hasHadIt(campaign, cart, before))
    .map(({ id, shopper }) => ({ cart: id, shopper }))
}

export function isInAudience(
  filters: PlayedCampaign['versions'][number]['plan']['filters'],
  cart: Cart,
  at: number,
): boolean {
  const hours = (at - cart.lastActivityAt) / HOUR_MS
  const { minAbandonTime, maxAbandonTime, minCartValue, maxCartValue, productId } = filters
  return (
    hours >= (minAbandonTime ?? 0) &&
    hours <= (maxAbandonTime ?? Number.POSITIVE_INFINITY) &&
    cart.value / 100 >= (minCartValue ?? 0) &&
    cart.value / 100 <= (maxCartValue ?? Number.POSITIVE_INFINITY) &&
    (productId === undefined || cart.items.some((item) => item.productId === productId))
  )
}

/** In any run, to that person or about that cart. */
const hasHadIt = ({ id }: PlayedCampaign, cart: Cart, { messages }: State) =>
  messages.some((each) => each.origin === `campaign:${id}` && (each.cart === cart.id || each.shopper === cart.shopper))

/** Abandoned before and after, with the same contact and person, and no activity in between. */
export function isUnchanged(id: string, state: State, before: State | null): boolean {
  const [now, then] = [state, before].map((each) => each?.carts.find((cart) => cart.id === id))
  if (!now || !then || now.status !== 'abandoned' || then.status !== 'abandoned') return false
  return describeCart(now) === describeCart(then)
}

const describeCart = ({ shopper, email, phone, lastActivityAt, value, items }: Cart) =>
  JSON.stringify([shopper, email, phone, lastActivityAt, value, items])
