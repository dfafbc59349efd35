import { matchRoutes, type RouteObject } from 'react-router'
import { describe, expect, it } from 'vitest'
import { findScreen, screens } from '../shared/screens.ts'
import { Permitted } from './core/access/Permitted.tsx'
import { findRegisteredScreen } from './core/access/screen.ts'
import { routes } from './router.tsx'
import { Guard } from './screens/shell/Guard.tsx'
import { components, frames } from './screens.ts'

/** Every route that renders something, with its parents. */
const listRoutes = (all: RouteObject[], around: RouteObject[] = []): { route: RouteObject; around: RouteObject[] }[] =>
  all.flatMap((route) => (route.children ? listRoutes(route.children, [...around, route]) : [{ route, around }]))
const routed = listRoutes(routes)
const A_CUSTOMER = '/customers/01999999-0000-7000-8000-000000000001'
/** Replaces parameters by a value every parameter accepts. */
const findByPath = (path: string) => findScreen(path.replace(/:\w+/, '01999999-0000-7000-8000-000000000001'))

describe('a registered screen', () => {
  it('has a component, and every component has a screen', () => {
    expect(Object.keys(components).toSorted()).toEqual([...new Set(screens.map(({ loader }) => loader))].toSorted())
  })

  it.each(Object.entries({ ...components, ...frames }))('%s has its own chunk', async (_name, load) => {
    expect((await load()).Component).toBeTypeOf('function')
  })

  it('is in the router once, with its own component', () => {
    const registered = routed.filter(({ route }) => route.path !== '*').map(({ route }) => route)
    expect(registered.map(({ path }) => path).toSorted()).toEqual(screens.map(({ path }) => path).toSorted())
    const wrong = registered.filter(
      ({ path, handle, lazy }) => handle !== findByPath(path!) || lazy !== components[findByPath(path!)!.loader],
    )
    expect(wrong).toEqual([])
  })
})

describe('unguarded routes', () => {
  it('do not exist: every route is inside the guard, and every screen inside a permission check', {
    tags: ['A2.1'],
  }, () => {
    const isInside = (of: unknown) => (each: (typeof routed)[number]) =>
      each.around.some(({ Component }) => Component === of)
    expect(routed.filter((each) => !isInside(Guard)(each))).toEqual([])
    const withoutCheck = routed.filter((each) => !isInside(Permitted)(each)).map(({ route }) => route)
    // The guard shows its 404 page for it.
    expect(withoutCheck).toEqual([{ path: '*' }])
  })

  it('the guard finds no screen for a route missing from the registry or listed differently', () => {
    const [carts, flows] = [findScreen('/carts')!, findScreen('/flows')!]
    expect(findRegisteredScreen('/carts', carts)).toBe(carts)
    expect(findRegisteredScreen('/carts', undefined)).toBeNull()
    expect(findRegisteredScreen('/carts', flows)).toBeNull()
    expect(findRegisteredScreen('/carts', { ...carts, access: 'everybody' })).toBeNull()
    expect(findRegisteredScreen('/customers/x', carts)).toBeNull()
    // The router accepts any parameter value; the registry does not, and the guard shows its 404 page (decision 129).
    const customer = matchRoutes(routes, '/customers/x')!.at(-1)!.route.handle
    expect(findRegisteredScreen('/customers/x', customer)).toBeNull()
    expect(findRegisteredScreen(A_CUSTOMER, customer)).toBe(findScreen(A_CUSTOMER))
  })

  it.each([
    ...[
      '/carts',
      '/Carts/',
      '/%63arts',
      '/carts/42',
      '/carts/42//',
      '/carts%2F42',
      '/carts/a%2Fb',
      '/%E0%A4%A',
      '/',
      '//',
    ],
    A_CUSTOMER,
    '/settings',
    '/settings/sending/sms',
    '/settings/nothing',
    '/carts/42/more',
    '/login/nowhere',
  ])('router and registry agree about the address %s', (address) => {
    const matched = matchRoutes(routes, address)?.at(-1)?.route.handle ?? null
    expect(matched).toBe(findScreen(address))
  })
})
