import { expect, test } from 'vitest'
import type { NotificationChoice } from '../../../shared/workspace/notification-calls.ts'
import {
  getAtOnceLabel,
  isProblem,
  listTopicTypes,
  type NotificationTopic,
  readTopic,
} from '../../../shared/workspace/notification-kinds.ts'
import { failedCauses, type NotificationData, type NotificationType } from '../../../shared/workspace/notifications.ts'
import { createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { sampleNotifications } from '../../../test/notification-samples.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { mailDueNotifications } from '../../access/notifications/mails.ts'
import { notify, notifyAccount } from '../../access/notifications/notifications.ts'

// Decision 65: the mail job does what the settings show, for every notification type.

const world = createWorld()
const ofAccount: NotificationType[] = [
  ...([
    'domain_throttled',
    'domain_reopened',
    'plan_limit',
    'plan_near_limit',
    'budget_reached',
    'credits_low',
    'credits_empty',
  ] as const),
  ...listTopicTypes('billing'),
]
const types = Object.keys(sampleNotifications) as NotificationType[]

/** Every type, and every cause of a failed message. */
const kinds: { type: NotificationType; data: NotificationData[NotificationType] }[] = [
  ...types.map((type) => ({ type, data: sampleNotifications[type] })),
  ...failedCauses.map((cause) => ({
    type: 'email_failed' as const,
    data: { cartId: 'c', messageId: 'm', step: 1, to: 'a@b.example', answer: '550', cause, count: 3 },
  })),
]

/** The members mailed about this event in a store of its own. */
async function mailedAbout(store: TestStore, { type, data }: (typeof kinds)[number]): Promise<string[]> {
  const { storeId, accountId } = store
  const notice = { type, data, at: world.now } as never
  if (ofAccount.includes(type)) await notifyAccount({ accountId, db: world.db }, notice)
  else await notify({ storeId, db: world.db }, notice)
  await groupNotifications(world.deps)
  await mailDueNotifications(world.deps)
  await world.runJobs()
  return world.sent.splice(0).map(({ to }) => to)
}

async function readChoices(token: string): Promise<Map<NotificationTopic, NotificationChoice['mail']>> {
  const { body } = await world.request('GET', '/api/notifications/preferences', { token })
  return new Map(body.topics.map(({ topic, mail }: NotificationChoice) => [topic, mail]))
}

/** The defaults that the settings page shows. */
function isExpected(type: NotificationType, choice: NotificationChoice['mail']): boolean {
  if (choice !== 'at_once') return false
  return getAtOnceLabel(readTopic(type)) === 'At once' || isProblem(type)
}

async function readEmail({ userId }: TestStore): Promise<string> {
  const user = world.db.selectFrom('users').select('email').where('id', '=', userId)
  return (await user.executeTakeFirstOrThrow()).email
}

test('by default, owners are mailed at once about problems and billing, and nothing else', async () => {
  for (const kind of kinds) {
    const store = await createStore(world)
    const { token } = await createColleague(world, store, 'admin')
    const [owner, admin] = [await readChoices(store.token), await readChoices(token)]
    const topic = readTopic(kind.type)
    expect([kind.type, admin.get(topic)]).toEqual([kind.type, 'none'])
    const mailed = await mailedAbout(store, kind)
    const expected = isExpected(kind.type, owner.get(topic)!)
    expect([kind.type, kind.data, mailed]).toEqual([kind.type, kind.data, expected ? [await readEmail(store)] : []])
    expect([kind.type, expected]).toEqual([kind.type, isProblem(kind.type) || topic === 'billing'])
  }
})

test.each([
  'none',
  'at_once',
  'daily',
] as const)('a member who chooses %s for everything gets exactly that', async (mail) => {
  for (const kind of kinds) {
    const store = await createStore(world)
    const topic = readTopic(kind.type)
    const body = { topics: [{ topic, bell: true, mail }] }
    await world.request('PUT', '/api/notifications/preferences', { token: store.token, body })
    expect((await readChoices(store.token)).get(topic)).toBe(mail)
    const expected = isExpected(kind.type, mail)
    expect([kind.type, await mailedAbout(store, kind)]).toEqual([kind.type, expected ? [await readEmail(store)] : []])
    if (mail !== 'daily') continue
    const { rows } = await world.pool.query(
      'select user_id from notification_mails where digest_due_at is not null and account_id = $1',
      [store.accountId],
    )
    expect([kind.type, rows]).toEqual([kind.type, [{ user_id: store.userId }]])
  }
})
