import { MantineProvider } from '@mantine/core'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { OwnAccountHint } from './DemoGuide.tsx'

test('links to the API key of the demo store', () => {
  const html = renderToStaticMarkup(
    <MantineProvider>
      <OwnAccountHint shop="http://localhost:4305" />
    </MantineProvider>,
  )
  expect(html).toContain('href="http://localhost:4305/wp-admin/"')
})
