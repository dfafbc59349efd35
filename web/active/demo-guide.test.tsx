import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { OwnAccountHint } from './DemoGuide.tsx'

test('the guide leads to the key that the demo store is connected with (newcomer-N15)', () => {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <OwnAccountHint shop="http://localhost:4305" />
    </MantineProvider>,
  )
  expect(html).toContain('href="http://localhost:4305/wp-admin/"')
})
