import { expect, test } from 'vitest'
import { advanceToAbandoned, createMessageScene, findLink, HOUR, sendDueMessages } from '../../../test/message-scene.ts'
import { holdReplies, POOL_SIZE } from '../../../test/send-scene.ts'
import { createWorld } from '../../../test/world.ts'

// Visits by the links of a mail that is in flight: the mail server looks into it before it answers.

const world = createWorld()
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }

const touches = (messageId: string) =>
  world.db.selectFrom('touchpoints').select(['is_human', 'class_reason']).where('message_id', '=', messageId).execute()

test('a scanner before delivery is recognized, however long the mail waited for its slot', async () => {
  const { storeId } = await createMessageScene(world, POOL_SIZE + 1)
  await advanceToAbandoned(world, storeId, HOUR)
  const server = holdReplies(world)
  const sending = sendDueMessages(world, storeId)
  await server.reach(POOL_SIZE)
  world.advance(10_000)
  server.waiting[0]!.answer()
  await server.reach(POOL_SIZE + 1)
  const { mail } = server.waiting[POOL_SIZE]!
  await world.request('GET', findLink(mail.html, '/c/'), { headers: BROWSER })
  expect(await touches(mail.messageId)).toEqual([{ is_human: false, class_reason: 'too_soon' }])
  server.answerAll()
  await sending
  expect(await touches(mail.messageId)).toEqual([{ is_human: false, class_reason: 'too_soon' }])
})
