// Districts of server/, web/ and shared/, from the lowest floor up. A district imports only from lower floors. Rooms
// (folders) of a district may import each other without cycles, which a test computes. Put a new room into the district
// whose work it does, below all rooms that import it. Code that a lower floor needs from a higher one belongs lower, or
// comes as a parameter (on the server also in `Deps`). A room of the server has one door, `public.ts` or the file with
// the room's name: other rooms and the entry points import nothing else of it.

interface Tree {
  floors: readonly Readonly<Record<string, string>>[]
  /** Entry points outside the districts, which may import from every floor. Rooms import none of them. */
  roots: readonly string[]
  /** The files of a district are in rooms, not directly in its folder. */
  hasRooms: boolean
  /** Other rooms import only a room's door. */
  hasDoors: boolean
}

const server: Tree = {
  floors: [
    { core: 'what every other district needs: configuration, database, jobs, backups, the network, statistics' },
    {
      messages: 'messages, their channels, and rendering of templates',
      platforms: 'WooCommerce and Shopify behind one interface',
    },
    { access: 'users, members, stores and notifications; serving an endpoint' },
    {
      shoppers: 'identity, consent and suppressions of shoppers',
      billing: 'plans, usage, payments, credits',
    },
    {
      carts: 'from a store’s facts to an abandoned cart: capture, sync, orders, coupons, links, branding, experiments',
    },
    { delivery: 'from an abandoned cart to a message: decision, send, replies and reports' },
    { insights: 'analytics, and alarms when a stage has stopped' },
    { marketing: 'flows, campaigns, manual sends, audiences, customers' },
    { workspace: 'accounts and stores: setup, settings, privacy, exports, operators' },
  ],
  // Rooms may import deps.ts as a type. lookup-threads.ts belongs to main.ts, which loads it for its effect.
  roots: ['app', 'worker', 'main', 'demo', 'deps', 'core/backup/main', 'core/net/lookup-threads'].map(
    (name) => `server/${name}.ts`,
  ),
  hasRooms: true,
  hasDoors: true,
}

const web: Tree = {
  floors: [
    { core: 'what every other folder needs: components, theme, session, calls to the server, access' },
    { kits: 'what several features share: message editor, coupon and audience pickers, states of carts and flows' },
    { features: 'a folder per feature' },
    { screens: 'what composes features: shell, dashboard, settings, landing and legal pages' },
  ],
  roots: ['main.tsx', 'ahead.ts', 'router.tsx', 'screens.ts', 'zod-stub.ts', 'globals.d.ts'].map(
    (name) => `web/${name}`,
  ),
  hasRooms: true,
  hasDoors: false,
}

const shared: Tree = { floors: server.floors, roots: ['shared/screens.ts'], hasRooms: false, hasDoors: false }

export const trees: Readonly<Record<string, Tree>> = { server, web, shared }

export interface Import {
  from: string
  to: string
  isType: boolean
}

const findTree = (file: string): string => file.split('/')[0]!

export const isRoot = (file: string): boolean => trees[findTree(file)]?.roots.includes(file) === true

/** `server/delivery/send/turn.ts` is in room `delivery/send`. Files directly in a district form a room of their own. */
export const findRoom = (file: string): string | undefined =>
  /^[a-z]+\/([a-z][a-z-]*(?:\/[a-z][a-z-]*)?)\//.exec(file)?.[1]

const findDistrict = (room: string): string => room.split('/')[0]!

const findFloor = (tree: string, room: string): number =>
  trees[tree]!.floors.findIndex((floor) => findDistrict(room) in floor)

/** Returns a message for each import between files of a tree that breaks a rule. */
export function findImportFaults(imports: readonly Import[]): string[] {
  const files = new Set(imports.flatMap(({ from, to }) => [from, to]))
  return imports.flatMap((each) => {
    const fault = findDoorFault(each, files) ?? (isRoot(each.from) ? null : findFloorFault(each))
    return fault ? [`${each.from} → ${each.to}: ${fault}`] : []
  })
}

function findDoorFault({ from, to }: Import, files: ReadonlySet<string>): string | null {
  const [room, other, tree] = [findRoom(from), findRoom(to), findTree(to)]
  if (!trees[tree]!.hasDoors || isRoot(to) || other === undefined || room === other) return null
  const door = `${tree}/${other}/public.ts`
  return to === (files.has(door) ? door : `${tree}/${other}/${other.split('/')[1]}.ts`) ? null : `enter by ${door}`
}

function findFloorFault({ from, to, isType }: Import): string | null {
  if (isRoot(to)) return to === 'server/deps.ts' && isType ? null : 'only entry points import this file'
  const [room, other] = [findRoom(from), findRoom(to)]
  if (room === undefined || other === undefined) return 'a file belongs to a room'
  if (room === other) return null
  const [floor, below] = [findFloor(findTree(from), room), findFloor(findTree(to), other)]
  if (floor < 0 || below < 0) return 'the district is not in test/districts.ts'
  if (findDistrict(room) !== findDistrict(other) && below >= floor)
    return `${findDistrict(room)} is not above ${findDistrict(other)}`
  return null
}

/** Returns import cycles between rooms of a tree, each as a path back to its first room. */
export const findImportCycles = (imports: readonly Import[]): string[] =>
  findCycles(
    imports.flatMap(({ from, to }) => {
      const [room, other] = [findRoom(from), findRoom(to)]
      return isRoot(from) || isRoot(to) || !room || !other || room === other ? [] : [[room, other] as const]
    }),
  )

/** Returns cycles of files that load each other at run time. */
export const findFileCycles = (imports: readonly Import[]): string[] =>
  findCycles(imports.flatMap(({ from, to, isType }) => (isType ? [] : [[from, to] as const])))

function findCycles(edges: readonly (readonly [from: string, to: string])[]): string[] {
  const imported = new Map<string, Set<string>>()
  for (const [from, to] of edges) imported.set(from, (imported.get(from) ?? new Set()).add(to))
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (place: string, path: readonly string[]) => {
    const start = path.indexOf(place)
    if (start >= 0) cycles.push([...path.slice(start), place].join(' → '))
    if (start >= 0 || done.has(place)) return
    for (const other of imported.get(place) ?? []) walk(other, [...path, place])
    done.add(place)
  }
  for (const place of imported.keys()) walk(place, [])
  return cycles
}
