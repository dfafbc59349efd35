import { expect, it } from 'vitest'
import { isBuiltInBody } from './built-in.ts'
import { CAMPAIGN_TEMPLATES, FORMER_SENTENCES } from './ready-templates.ts'

it('recognizes a ready text before and after a sentence was replaced, and nothing else', () => {
  const [first] = CAMPAIGN_TEMPLATES
  expect(isBuiltInBody(first!.body)).toBe(true)
  for (const [now, before] of FORMER_SENTENCES) {
    const template = CAMPAIGN_TEMPLATES.find(({ body }) => body.includes(now))!
    expect(isBuiltInBody(template.body.replace(now, before))).toBe(true)
    expect(isBuiltInBody(template.body.replace(now, ''))).toBe(false)
  }
})
