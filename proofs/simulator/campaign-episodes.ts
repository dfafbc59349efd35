import type { ActContext } from './act-makers.ts'
import type { CampaignAct, CampaignFilters, CampaignPlan } from './campaigns.ts'
import { LEAVERS } from './people.ts'
import type { Answer, Meanwhile, Step } from './steps.ts'

// Situations that random steps rarely reach: people who abandon a cart for good, and short sequences around one
// campaign.

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** First posts of people who abandon a cart. */
export function createLeaverSteps(dice: ActContext): Step[] {
  const count = dice.between(3, LEAVERS.length)
  return LEAVERS.slice(0, count).map((_, index) => createAbandonment(dice, index, dice.between(0, 5 * MINUTE)))
}

function createAbandonment(dice: ActContext, index: number, waitMs: number): Step {
  const { email, typedPhone, country } = LEAVERS[index]!
  return {
    do: 'post',
    browser: 3 + index,
    isNewPage: true,
    items: [[dice.pick(['16', '17', '18']), dice.between(1, 2)]],
    coupons: [],
    contact: { email, ...(dice.hasTexts ? { phone: typedPhone, country } : {}) },
    consent: dice.hasTexts ? { sms: true, whatsapp: true } : null,
    network: 'now',
    waitMs,
  }
}

export const BROAD_PLAN: CampaignPlan = {
  channel: 'email',
  people: 'matching',
  chosen: [],
  filters: {},
  isSaved: false,
  frequency: 'once',
  inDays: 0,
  timeOfDay: '10:00',
  delay: 0,
  spreadHours: null,
  coupon: null,
  isTextChanged: true,
}

const KINDS = {
  'paused and resumed': 3,
  'edited while planned': 2,
  'deleted in flight': 2,
  'sent beside a run': 2,
  'failed and retried': 4,
  'bounced too often': 3.5,
  'ended and played': 1.5,
  'of a saved audience': 3,
  'worker ends': 2,
  'worker ends between pages': 2,
}

export const drawEpisode = (dice: ActContext): Step[] => actMakers[dice.weighted(KINDS)](dice)

/** Late in a scenario, when every older cart is lost. */
export function drawMonth(dice: ActContext): Step[] {
  const plan: CampaignPlan = {
    ...BROAD_PLAN,
    frequency: 'monthly',
    inDays: dice.between(0, 1),
    timeOfDay: dice.pick(TIMES),
  }
  const back = LEAVERS.slice(0, 3).flatMap((_, index): Step[] => [
    { do: 'new visit', browser: 3 + index, waitMs: 0 },
    createAbandonment(dice, index, dice.between(0, MINUTE)),
  ])
  const [first, ...rest] = back
  return [
    { do: 'campaign', plan, isNow: false, isTwice: false, waitMs: dice.between(0, HOUR) },
    createPass(dice, dice.between(30 * HOUR, 50 * HOUR)),
    createPass(dice, dice.between(SECOND, MINUTE)),
    { ...first!, waitMs: dice.between(26 * DAY, 27 * DAY) },
    ...rest,
    createPass(dice, dice.between(HOUR, 2 * HOUR)),
    createPass(dice, dice.between(2 * DAY, 3 * DAY)),
    createPass(dice, dice.between(SECOND, MINUTE)),
    // The frequency cap may have been used up.
    createPass(dice, dice.between(20 * HOUR, 26 * HOUR)),
  ]
}

const TIMES = ['00:00', '10:00', '18:40'] as const

const actMakers: Record<keyof typeof KINDS, (dice: ActContext) => Step[]> = {
  'paused and resumed': (dice) => [
    ...createStartedCampaign(dice),
    createPass(dice, drawMoment(dice), {
      meanwhile: createInterruption(dice, ['pages', 'before sending', 'claim', 'evaluate'], [createStep('pause')]),
    }),
    { ...createStep('play'), waitMs: dice.between(5 * SECOND, 3 * HOUR) },
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawDay(dice)),
  ],
  'edited while planned': (dice) => [
    ...createStartedCampaign(dice),
    createPass(dice, drawMoment(dice), { meanwhile: createInterruption(dice, ['pages'], [drawEdit(dice)]) }),
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawDay(dice)),
  ],
  'deleted in flight': (dice) => [
    ...createStartedCampaign(dice),
    createPass(dice, drawMoment(dice), {
      meanwhile: createInterruption(dice, ['pages', 'before sending', 'sent', 'submission'], [createStep('delete')]),
    }),
    createPass(dice, drawMoment(dice)),
  ],
  'sent beside a run': (dice) => [
    {
      ...buildCampaignStep({ ...BROAD_PLAN, frequency: 'daily', timeOfDay: dice.pick(TIMES) }, false),
      waitMs: drawDay(dice),
    },
    createPass(dice, dice.between(12 * HOUR, 26 * HOUR), {
      meanwhile: dice.isLucky(0.5)
        ? createInterruption(dice, ['pages', 'before sending'], [createStep('send now')])
        : null,
    }),
    { ...createStep(dice.pick(['send now', 'send'])), isTwice: dice.isLucky(0.3), waitMs: dice.between(0, MINUTE) },
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawDay(dice)),
  ],
  'failed and retried': (dice) => [
    ...createStartedCampaign(dice),
    createPass(dice, drawMoment(dice), {
      answers: ['refuses', 'refuses', dice.pick<Answer>(['refuses', 'accepts', 'silent, took it'])],
    }),
    { ...createStep('retry'), isTwice: dice.isLucky(0.4), waitMs: dice.between(SECOND, HOUR) },
    createPass(dice, drawMoment(dice), {
      meanwhile: dice.isLucky(0.3) ? createInterruption(dice, ['before sending'], [createStep('retry')]) : null,
    }),
    createPass(dice, drawDay(dice)),
  ],
  'bounced too often': (dice) => [
    ...createStartedCampaign(dice, dice.isLucky(0.4) ? { ...BROAD_PLAN, spreadHours: 1 } : BROAD_PLAN),
    createPass(dice, drawMoment(dice)),
    createPass(dice, dice.between(10 * MINUTE, HOUR)),
    drawMailReport(dice),
    createPass(dice, drawMoment(dice)),
    { ...createStep('play'), waitMs: dice.between(MINUTE, HOUR) },
    createPass(dice, drawMoment(dice)),
  ],
  'ended and played': (dice) => [
    ...createStartedCampaign(dice),
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawMoment(dice)),
    createAbandonment(dice, LEAVERS.length - 1, drawDay(dice)),
    { ...createStep(dice.pick(['play', 'play', 'send'])), waitMs: dice.between(2 * HOUR, 4 * HOUR) },
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawDay(dice)),
  ],
  'of a saved audience': (dice) => [
    { do: 'audience', filters: dice.pick(FILTERS), waitMs: drawDay(dice) },
    buildCampaignStep({ ...BROAD_PLAN, isSaved: true }, true),
    { do: 'audience gone', waitMs: 0 },
    createPass(dice, drawMoment(dice)),
    createPass(dice, drawDay(dice)),
  ],
  'worker ends': (dice) => [
    ...createStartedCampaign(dice),
    createPass(
      dice,
      drawMoment(dice),
      dice.isLucky(0.5) ? { diesAt: dice.between(15, 110) } : { answers: [drawDeadlyAnswer(dice)] },
    ),
    createPass(dice, dice.between(20 * SECOND, 5 * MINUTE)),
    createPass(dice, drawDay(dice)),
  ],
  'worker ends between pages': (dice) => [
    {
      ...buildCampaignStep({ ...BROAD_PLAN, frequency: 'daily', timeOfDay: dice.pick(TIMES) }, false),
      waitMs: drawDay(dice),
    },
    createPass(dice, dice.between(20 * HOUR, 28 * HOUR), {
      worker: 0,
      meanwhile: createInterruption(dice, ['pages'], [{ do: 'restart', worker: 0, waitMs: 0 }]),
    }),
    createPass(dice, dice.between(20 * SECOND, 5 * MINUTE)),
    createPass(dice, drawMoment(dice)),
  ],
}

const FILTERS: CampaignFilters[] = [
  { minAbandonTime: 1, maxAbandonTime: 72 },
  { minAbandonTime: 2, maxCartValue: 30 },
  { productId: '16' },
  { minCartValue: 10, maxAbandonTime: 96 },
]

const createStartedCampaign = (dice: ActContext, plan = BROAD_PLAN): Step[] => [
  { ...buildCampaignStep(plan, true), waitMs: drawDay(dice) },
]

const buildCampaignStep = (plan: CampaignPlan, isNow: boolean): CampaignAct & Step => ({
  do: 'campaign',
  plan,
  isNow,
  isTwice: false,
  waitMs: 0,
})

const createStep = (
  step: Extract<CampaignAct, { do: 'campaign step' }>['step'],
): Extract<Step, { do: 'campaign step' }> => ({
  do: 'campaign step',
  place: 0,
  step,
  isTwice: false,
  waitMs: 0,
})

function drawEdit(dice: ActContext): Step {
  const change = dice.pick<Partial<CampaignPlan>>([
    { isTextChanged: false },
    { filters: dice.pick(FILTERS) },
    { delay: 24, spreadHours: 1 },
    { spreadHours: 6 },
  ])
  return { do: 'campaign edit', place: 0, change, isNow: dice.isLucky(0.15), waitMs: 0 }
}

const drawMailReport = (dice: ActContext): Step => ({
  do: 'mail report',
  place: dice.between(0, 2),
  kind: dice.weighted({ hard: 2, complaint: 1 }),
  waitMs: dice.between(SECOND, HOUR),
})

/** Late enough not to count as the same moment. */
function createInterruption(dice: ActContext, places: readonly Meanwhile['at'][], steps: Step[]): Meanwhile {
  const after: Step = { do: 'new visit', browser: 2, waitMs: dice.between(2 * SECOND, 20 * SECOND) }
  return { at: dice.pick(places), steps: [...steps, after] }
}

const drawDeadlyAnswer = (dice: ActContext) => dice.pick<Answer>(['takes it, sender dies', 'sender dies first'])
const drawMoment = (dice: ActContext) => dice.between(SECOND, 90 * SECOND)
/** By then the flow's steps are over, and the frequency cap is free. */
const drawDay = (dice: ActContext) => dice.between(22 * HOUR, 30 * HOUR)

function createPass(
  dice: ActContext,
  waitMs: number,
  more: Partial<Pick<Extract<Step, { do: 'work' }>, 'worker' | 'meanwhile' | 'diesAt' | 'answers'>> = {},
): Step {
  return { do: 'work', worker: dice.between(0, 1), answers: [], meanwhile: null, diesAt: null, ...more, waitMs }
}
