import { expect, test } from 'vitest'
import { aScene, HOUR, linkIn, send, wait } from '../../../test/message-scene.ts'
import { heldBack, POOL } from '../../../test/turn-scene.ts'
import { aWorld } from '../../../test/world.ts'

// Visits by the links of a mail that is in flight: the mail server looks into it before it answers.

const world = aWorld()
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }

const touches = (messageId: string) =>
  world.db.selectFrom('touchpoints').select(['is_human', 'class_reason']).where('message_id', '=', messageId).execute()

test('a scanner before delivery is recognized, however long the mail waited for its slot', async () => {
  const { storeId } = await aScene(world, POOL + 1)
  await wait(world, storeId, HOUR)
  const server = heldBack(world)
  const sending = send(world, storeId)
  await server.reach(POOL)
  world.advance(10_000)
  server.waiting[0]!.answer()
  await server.reach(POOL + 1)
  const { mail } = server.waiting[POOL]!
  await world.request('GET', linkIn(mail.html, '/c/'), { headers: BROWSER })
  expect(await touches(mail.messageId)).toEqual([{ is_human: false, class_reason: 'too_soon' }])
  server.answerAll()
  await sending
  expect(await touches(mail.messageId)).toEqual([{ is_human: false, class_reason: 'too_soon' }])
})
