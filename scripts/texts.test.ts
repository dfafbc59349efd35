import { expect, test } from 'vitest'
import { findArea, findPhpTexts, findTexts } from './texts.ts'

const SAMPLE = `
import { Button } from '@mantine/core'
const texts = { retry: 'Try it again.', kind: 'cart-pages', 'Not a text': 1, summary: 'For the API only.' }
log.warn('The queue is full')
const query = sql\`select Two words\`
export function Screen({ count }: { count: number }) {
  if (count < 0) throw new Error('Only for programmers')
  if (count > 9) throw new AppError('invalid', \`At most \${count} carts.\`)
  return (
    <Button className="Two words" aria-label="Close" onClick={() => announce('Saved the flow')}>
      Save {count} <b>now</b>
    </Button>
  )
}
`

test('the list has what a person reads, with its line, and no code', () => {
  expect(findTexts('Screen.tsx', SAMPLE).map(({ line, text }) => `${line} ${text}`)).toEqual([
    '3 Try it again.',
    '8 At most … carts.',
    '10 Close',
    '10 Saved the flow',
    '11 Save',
    '11 now',
  ])
})

test('the list has the plugin’s translated texts', () => {
  const source = "<?php\necho esc_html__( 'Don\\'t ask again', 'recoup' );\n__( 'Connect', 'recoup' );"
  expect(findPhpTexts(source)).toEqual([
    { line: 2, text: "Don't ask again" },
    { line: 3, text: 'Connect' },
  ])
})

test.each([
  ['web/features/restore/copy.ts', 'shopper'],
  ['web/screens/landing/render.tsx', 'site'],
  ['web/features/flows/FlowsPage.tsx', 'app'],
  ['server/carts/carts/carts.ts', 'server'],
  ['bench/main.ts', null],
])('the area of %s is %s', (file, area) => {
  expect(findArea(file)).toBe(area)
})
