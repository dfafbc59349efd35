import {
  flowLibrary,
  type LibraryEntry,
  type LibraryKey,
  type LibraryNeed,
} from '../../../shared/marketing/flow-library.ts'
import { type FlowChannels, flowTexts, MAX_FLOWS } from '../../../shared/marketing/flows.ts'
import { lockStore, readStore } from '../../access/stores/public.ts'
import { requireFeature } from '../../billing/billing/public.ts'
import { selectExistingCoupons } from '../../carts/coupons/public.ts'
import { AppError, createId, createToken, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { cancelFlowMessages, scheduleNextRun } from '../../messages/messages/public.ts'
import { CAMPAIGN_TEMPLATES, getReadyEmail } from '../../messages/templates/public.ts'
import { refreshTimeout } from './flows.ts'
import * as saveSql from './save-sql.ts'
import * as sql from './sql.ts'
import { COUPON_MISSING } from './step-coupons.ts'
import { getDefaultText, loadVariants, type Text } from './variants.ts'
import * as wordsSql from './variants-sql.ts'

// Create, copy, order and delete flows (decisions 51 and 56).

/** Creates an inactive flow, the last in the matching order. Returns its id. */
export async function createFlow(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  { from, couponId = null }: { from: LibraryKey; couponId?: string | null | undefined },
): Promise<string> {
  const entry = flowLibrary.find(({ key }) => key === from)!
  const now = deps.now()
  return transact(store, async (tx) => {
    const position = (await assertRoomForFlow(deps, tx)).length + 1
    if (couponId && !(await selectExistingCoupons(tx, [couponId])).has(couponId)) {
      throw new AppError('unprocessable', COUPON_MISSING, { fields: { couponId: COUPON_MISSING } })
    }
    const id = createId()
    const { locale } = requireFound(await readStore(tx), 'Store')
    const templates = entry.steps.map(({ template: key }) => ({
      id: createId(),
      key: 'flow_words',
      name: CAMPAIGN_TEMPLATES.find((template) => template.id === key)!.name,
      ...getReadyEmail(key, locale),
    }))
    await sql.insertTemplates(tx, templates, now)
    const steps = entry.steps.map(({ delayMinutes, channels, hasCoupon }, index) => ({
      id: createId(),
      step: index + 1,
      delayMinutes,
      channels,
      templateId: templates[index]!.id,
      couponId: hasCoupon ? couponId : null,
    }))
    const { name, conditions } = entry
    await sql.insertFlow(tx, { id, name, salt: createToken(), position, conditions, now }, steps)
    const further = steps.flatMap(({ id: stepId, channels }, index) =>
      channels.map((channel, at) => ({
        stepId,
        variantId: stepId,
        channel,
        name: templates[index]!.name,
        templateId: at === 0 ? templates[index]!.id : createId(),
        ...(at === 0 ? pickContent(templates[index]!) : getDefaultText(channel, locale)),
      })),
    )
    await wordsSql.saveTexts(tx, id, further, now)
    return id
  })
}

/** The copy has its own text, is inactive and follows the first flow. Returns its id. */
export async function copyFlow(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, flowId: string): Promise<string> {
  const now = deps.now()
  return transact(store, async (tx) => {
    requireFound(await sql.readFlow(tx, flowId), 'Flow')
    const order = await assertRoomForFlow(deps, tx)
    const flow = requireFound(await sql.lockFlow(tx, flowId), 'Flow')
    const steps = await sql.listSteps(tx, [flowId])
    const variants = await loadVariants(tx, steps)
    const id = createId()
    const copies = steps.map((step) => ({ step, copyId: createId(), stored: variants.get(step.id)! }))
    const idOf = new Map(
      copies.flatMap(({ copyId, stored }) => {
        // Variant letters follow the ids, so new ids are sorted by place.
        const fresh = stored.slice(1).map(createId).toSorted()
        return stored.map((each, at) => [each.id, at === 0 ? copyId : fresh[at - 1]!] as const)
      }),
    )
    const texts = copies.flatMap(({ step, copyId, stored }) =>
      stored.flatMap((variant) =>
        [...variant.words].map(([channel, text]) => ({
          stepId: copyId,
          variantId: idOf.get(variant.id)!,
          channel,
          templateId: createId(),
          name: step.name,
          ...pickContent(text),
        })),
      ),
    )
    const name = `${flow.name} (copy)`.slice(0, 120)
    const { conditions } = flow
    await saveSql.insertEmptyFlow(tx, { id, name, salt: createToken(), position: order.length + 1, conditions, now })
    await wordsSql.saveTexts(tx, id, texts, now)
    const columns = copies.map(({ step, copyId }) => {
      const own = texts.find(({ variantId, channel }) => variantId === copyId && channel === step.channel)
      return { ...step, id: copyId, template_id: own?.templateId ?? step.template_id }
    })
    await saveSql.saveSteps(tx, id, { steps: columns, addedAt: null, now })
    const split = copies.filter(({ stored }) => stored.length > 1)
    await wordsSql.saveVariants(
      tx,
      id,
      {
        stepIds: split.map(({ copyId }) => copyId),
        variants: split.flatMap(({ copyId, stored }) =>
          stored.map((each, index) => ({
            stepId: copyId,
            id: idOf.get(each.id)!,
            place: index + 1,
            sharePercent: each.sharePercent,
          })),
        ),
      },
      now,
    )
    const behind = order.indexOf(flowId) + 1
    await saveSql.saveOrder(tx, [...order.slice(0, behind), id, ...order.slice(behind)])
    return id
  })
}

const pickContent = ({ subject, body, design }: Text): Text => ({ subject, body, design })

/** A second flow needs a larger plan. Locks the flows against concurrent additions and returns their ids in order. */
async function assertRoomForFlow(deps: Pick<Deps, 'now'>, tx: StoreTx): Promise<string[]> {
  const { account_id: accountId } = requireFound(await lockStore(tx), 'Store')
  await requireFeature({ accountId, db: tx.db }, deps.now(), { feature: 'flow_rules', sentence: flowTexts.rulesPlan })
  const order = await saveSql.lockFlows(tx)
  if (order.length >= MAX_FLOWS) throw new AppError('unprocessable', flowTexts.tooMany)
  return order
}

/** Requires all flows of the store, each once. Carts keep the flow they belong to. */
export async function orderFlows(store: StoreDb<Db>, flowIds: readonly string[]): Promise<void> {
  if (new Set(flowIds).size < flowIds.length) throw new AppError('unprocessable', 'Each flow may be listed only once.')
  await transact(store, async (tx) => {
    const known = new Set(await saveSql.lockFlows(tx))
    const strange = flowIds.filter((id) => !known.has(id))
    if (strange.length > 0) throw new AppError('not_found', 'Flow not found')
    if (flowIds.length < known.size) throw new AppError('conflict', flowTexts.listChanged)
    await saveSql.saveOrder(tx, flowIds)
  })
}

/** Returns how many open messages it cancelled. */
export async function deleteFlow(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, flowId: string): Promise<number> {
  return transact(store, async (tx) => {
    const order = await saveSql.lockFlows(tx)
    const flow = requireFound(await sql.lockFlow(tx, flowId), 'Flow')
    if (flow.is_on) throw new AppError('unprocessable', flowTexts.switchOffFirst)
    const cancelled = await cancelFlowMessages(tx, flowId, deps.now())
    await saveSql.deleteFlow(tx, flowId)
    await saveSql.saveOrder(
      tx,
      order.filter((id) => id !== flowId),
    )
    await refreshTimeout(tx)
    await scheduleNextRun(tx)
    return cancelled
  })
}

interface Missing {
  channels: FlowChannels
  /** What is missing before an email can be sent. */
  mail: readonly string[]
  hasRules: boolean
  hasCoupon: boolean
}

/** What a library entry needs and the store lacks. Pure. */
export function listMissing({ needs }: LibraryEntry, { channels, mail, hasRules, hasCoupon }: Missing): string[] {
  const of: Record<LibraryNeed, readonly string[]> = {
    mail,
    sms: channels.sms.problem === null ? [] : [channels.sms.problem],
    rules: hasRules ? [] : [flowTexts.rulesPlan],
    coupon: hasCoupon ? [] : ['There is no coupon yet. Create one under Coupons, or choose one later.'],
  }
  const all = needs.flatMap((need) => of[need])
  return hasRules ? all : [...new Set([flowTexts.rulesPlan, ...all])]
}
