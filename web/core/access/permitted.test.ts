import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, describe, expect, it } from 'vitest'
import { explainRefusal, hasPermission, type Role, roleNames } from '../../../shared/access/roles.ts'
import { findScreen, screens } from '../../../shared/screens.ts'
import { Permitted } from './Permitted.tsx'
import { meQuery } from './queries.ts'

const SECRET = 'what the screen shows'
const carts = findScreen('/carts')!
const { permission } = carts
afterEach(() => {
  carts.permission = permission
})

/** What a user of this role sees of /carts; null: the user is unknown. */
function renderFor(role: Role | null): string {
  const client = new QueryClient()
  if (role) client.setQueryData(meQuery.queryKey, { role } as never)
  const child = { path: '/carts', handle: carts, Component: () => SECRET }
  const router = createMemoryRouter([{ Component: Permitted, children: [child] }], { initialEntries: ['/carts'] })
  const routes = createElement(RouterProvider, { router })
  return renderToStaticMarkup(
    createElement(MantineProvider, null, createElement(QueryClientProvider, { client }, routes)),
  )
}

describe('a screen limited to some roles', () => {
  it.each(roleNames)('is shown to a permitted %s and refuses others with the server’s message', (role) => {
    carts.permission = 'billing:write'
    const isAllowed = hasPermission(role, 'billing:write')
    expect(renderFor(role).includes(SECRET)).toBe(isAllowed)
    expect(renderFor(role).includes(explainRefusal(role))).toBe(!isAllowed)
  })

  it('is hidden until the user is known', () => {
    carts.permission = 'billing:write'
    expect(renderFor(null)).not.toContain(SECRET)
    carts.permission = 'carts:read'
    expect(renderFor(null)).toContain(SECRET)
  })

  it('does not exist today: all four roles may open every screen and act there within their role (decision 8)', () => {
    const refused = screens.filter(
      (screen) => screen.permission !== 'public' && !roleNames.every((role) => hasPermission(role, screen.permission)),
    )
    expect(refused).toEqual([])
  })
})
