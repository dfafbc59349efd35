import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// Every statement that changes or deletes rows of `messages` is known here: by the test that has it meet a mail that waits for its place in the
// turn and one that is in flight (decision 147), or by the condition through which it meets neither.

const SERVER = path.join(import.meta.dirname, '../..')

/** Part of its text, and what it means. */
interface Condition {
  has: string
  so: string
}
type Known = string | readonly string[] | Condition

const IN_FLIGHT = 'Of rows that are sent or final, and a mail becomes so after its turn.'
const KNOWN: Record<string, Known> = {
  // Account and store
  'accounts/removal-sql.ts deleteAccount':
    'deleting an account deletes its messages: nothing more is sent, and the process continues',
  'store-settings/stores.ts deleteStore':
    'deleting an account deletes its messages: nothing more is sent, and the process continues',

  // Flows
  'messages/steps-sql.ts updateStepNumbers': 'the steps of the flow change their places',
  'messages/steps-sql.ts updateStepMessages': 'the words of the step change',
  'messages/sql.ts retime': ['the step is put off', 'both shop again (S2)'],

  // Campaigns
  'campaigns/runs-sql.ts closeOpenMessages': [
    'the campaign is cancelled',
    'the campaign is deleted',
    'both are taken out of the campaign',
    'its held messages are dropped: neither of these is affected, and it is sent once',
  ],
  'campaigns/runs.ts retimeSome': 'the campaign is postponed: unsent messages get the new time',

  // Carts and people
  'messages/sql.ts cancelOpen': [
    'both buy',
    'both empty their carts',
    'sent by hand: both buy',
    'the step is removed',
    'the flow is deleted',
    'the store is disconnected (Y4)',
  ],
  'messages/sql.ts closeAttemptedSteps': [
    'its cart is joined to the one whose mail is in flight (S6)',
    'the cart whose mail is in flight is joined to its cart (S6)',
    'the cart of another run is joined to its cart: the campaign sends about a cart once',
  ],
  'messages/sql.ts wakeHeld': 'what may have held it is gone',
  'messages/plan-sql.ts wakeHeldByAddress': 'both shoppers, who have no cart, are woken: it is sent once',
  'messages/plan-sql.ts cancelDuplicates':
    'two shoppers without a cart are merged: they get one mail of the campaign (D1)',
  'shoppers/sql.ts moveShopper': 'both shoppers are merged: they get only the mail in flight (S6)',
  'messages/sql.ts changeCancelReason': {
    has: `not \${isOpen('messages')} and not \${wasAttempted('messages')}`,
    so: 'Of rows that are cancelled.',
  },
  'messages/sql.ts wakeRequested': {
    has: "isHeld('h')}\n        and (h.reason",
    so: 'Of rows that are held.',
  },
  'messages/sql.ts wakeHeldMessages': 'what was held for a reason is looked at again',

  // Replies of shoppers, and reports about their addresses
  'messages/track-sql.ts skipOpenMessagesTo': [
    'both unsubscribe, by the links of their mails',
    'their addresses are suppressed by hand',
    'an earlier mail came back for good, to both',
    'both said that an earlier mail was spam (C1)',
  ],
  'messages/track-sql.ts setUnsubscribed': 'both unsubscribe, by the links of their mails',
  'privacy/erase-sql.ts closeOpen': 'open messages of a person are closed as they are erased (C8)',
  'privacy/erase-sql.ts eraseRows':
    'an erasure waits until the mail in flight is settled, then erases the shopper (C8)',
  'inbound/inbound.ts closeOpenTexts': 'STOP closes a prepared text and lets one in flight end',
  'inbound/inbound.ts markAnswered': 'STOP closes a prepared text and lets one in flight end',

  // Reports and answers
  'mail-reports/mail-reports-sql.ts applyMailReports': [
    'a bounce of a mail in flight waits until the mail is settled (D4)',
    'a report about the mail in flight says that it waits at its receiver',
  ],
  'outcome/delivery-sql.ts setProviderId': {
    has: 'set provider_id =',
    so: "The provider's id of a text in flight or later, which settling keeps. No state, claim or time of send.",
  },
  'outcome/delivery-sql.ts applyReports': { has: "isMovedByReport('m')", so: IN_FLIGHT },
  'outcome/outcome-sql.ts applyOutcomes': {
    has: 'and m.sending_at = o.sending_at',
    so: 'Part of settling: the ends of messages in flight, of this worker and this send.',
  },
  'outcome/outcome-sql.ts markNotificationDelivered': {
    has: `(\${isUnknown('m')} or (\${isAccepted('m')} and not \${isDelivered('m')}))`,
    so: 'Of notifications that are settled.',
  },
  'carts/touchpoints.ts recordResponse': { has: "isUnknown('messages')", so: IN_FLIGHT },
  'texts/spend-sql.ts correctCosts': {
    has: 'set segments = coalesce(c.segments, m.segments), cost_micros',
    so: 'What texts have cost. No state, claim or time of send.',
  },
  'messages/track-sql.ts setAddress': {
    has: ".set({ to_address: address })\n    .where('store_id'",
    so: 'Of a notification that its push service has just taken. No state, claim or time of send.',
  },

  // The claim and its end
  'decide/composing-sql.ts closeUnusable': 'their texts cannot be put together, and the claim closes them',
  'send/send-due-sql.ts applyDecisions': 'the claim decides otherwise',
  'send/send-due-sql.ts claimDue': 'another process takes what is due, long after the lease',
  'send/send-due-sql.ts setChannels':
    'a changed channel keeps a prepared mail from being sent and leaves one in flight unchanged',
  'send/send-due-sql.ts releaseClaim': 'its claim is given back',
  'send/turn-sql.ts prepare': 'its claim prepares the one in flight once more',
  'send/turn-sql.ts turnStatement': 'the turn of another claim would let both leave',
  'send/turn-sql.ts settle': 'the ends of both are written down, as if they had left at another time',
  'send/abandoned.ts releaseClaimsOfDead': 'its process is taken for dead',
}

const CHANGES = [
  /\b(?:update|delete from|merge into)\s+messages\b/,
  /\b(?:updateTable|mergeInto)\('messages\b/,
  // Messages go with these.
  /\bdeleteFrom\('(?:messages|carts|shoppers|stores|accounts)\b|\bdelete from (?:carts|stores|accounts)\b/,
  /\binsert into messages\b[\s\S]*\bdo update\b/,
]
const NAME = /^(?:export )?(?:async )?(?:function|const|class) (\w+)/

/** By file and name. */
function statements(): Map<string, string> {
  const files = fs
    .readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return new Map(
    files.flatMap((file) => {
      const parts = fs
        .readFileSync(path.join(SERVER, file), 'utf8')
        .split(/^(?=(?:export |async |function |const |class ))/m)
      return parts
        .filter((part) => CHANGES.some((change) => change.test(part)))
        .map((part) => [`${file.split('/').slice(1).join('/')} ${NAME.exec(part)?.[1]}`, part] as const)
    }),
  )
}

test('every statement that changes messages is listed here', () => {
  const unknown = [...statements().keys()].filter((name) => !KNOWN[name])
  const what =
    'Add a test beside the turn (beside-turn*.test.ts) and name it here, or the condition by which it meets no claimed mail.'
  expect(unknown, what).toEqual([])
})

test('every listed entry is an existing statement', () => {
  const there = statements()
  expect(Object.keys(KNOWN).filter((name) => !there.has(name))).toEqual([])
})

test('every entry has a test of that name or contains its condition', () => {
  const tests = fs
    .readdirSync(import.meta.dirname)
    .filter((file) => /^beside-turn.*\.test\.ts$/.test(file))
    .map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join('')
  const there = statements()
  const wrong = Object.entries(KNOWN).flatMap(([name, known]) => {
    if (typeof known === 'object' && 'has' in known)
      return there.get(name)?.includes(known.has) ? [] : [`${name}: ${known.has}`]
    return [known]
      .flat()
      .filter((title) => !tests.includes(`'${title}'`))
      .map((title) => `${name}: ${title}`)
  })
  expect(wrong).toEqual([])
})

test('no statement takes its table name from a value that may be `messages`', () => {
  const dynamic = [...statements().entries()].filter(([, part]) => /(?:update|delete from) \$\{sql\.table/.test(part))
  expect(dynamic.map(([name]) => name)).toEqual(['shoppers/sql.ts moveShopper'])
  expect(dynamic[0]![1].slice(0, dynamic[0]![1].indexOf('as const'))).not.toContain("'messages'")
})
