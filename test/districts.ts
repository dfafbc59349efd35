// Districts of the server, from the lowest floor up. A district imports only from lower floors. Rooms (folders) of a
// district may import each other without cycles, which a test computes. Put a new room into the district whose work it
// does, below all rooms that import it. Code that a lower floor needs from a higher one belongs lower, or comes as a
// parameter or in `Deps`. A room has one door, `public.ts` or the file with the room's name: other rooms and the entry
// points import nothing else of it.

export const floors: readonly Readonly<Record<string, string>>[] = [
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
  { carts: 'from a store’s facts to an abandoned cart: capture, sync, orders, coupons, links, branding, experiments' },
  { delivery: 'from an abandoned cart to a message: decision, send, replies and reports' },
  { insights: 'analytics, and alarms when a stage has stopped' },
  { marketing: 'flows, campaigns, manual sends, audiences, customers' },
  { workspace: 'accounts and stores: setup, settings, privacy, exports, operators' },
]

/**
 * Entry points, which may import from every floor. Rooms may import only deps.ts of these files, and only as a type.
 * lookup-threads.ts belongs to main.ts, which loads it for its effect.
 */
export const roots: readonly string[] = [
  'app',
  'worker',
  'main',
  'demo',
  'deps',
  'core/backup/main',
  'core/net/lookup-threads',
].map((name) => `server/${name}.ts`)

export interface Import {
  from: string
  to: string
  isType: boolean
}

/** `server/delivery/send/turn.ts` is in room `delivery/send`. Files directly in a district form a room of their own. */
export const findRoom = (file: string): string | undefined => /^server\/([a-z-]+(?:\/[a-z-]+)?)\//.exec(file)?.[1]

const findDistrict = (room: string): string => room.split('/')[0]!

const floorNumbers = new Map(floors.flatMap((floor, level) => Object.keys(floor).map((name) => [name, level] as const)))

/** Returns a message for each import between server files that breaks a rule. */
export function findImportFaults(imports: readonly Import[]): string[] {
  const files = new Set(imports.flatMap(({ from, to }) => [from, to]))
  return imports.flatMap((each) => {
    const fault = findDoorFault(each, files) ?? (roots.includes(each.from) ? null : findFloorFault(each))
    return fault ? [`${each.from} → ${each.to}: ${fault}`] : []
  })
}

function findDoorFault({ from, to }: Import, files: ReadonlySet<string>): string | null {
  const [room, other] = [findRoom(from), findRoom(to)]
  if (roots.includes(to) || other === undefined || room === other) return null
  const door = `server/${other}/public.ts`
  return to === (files.has(door) ? door : `server/${other}/${other.split('/')[1]}.ts`) ? null : `enter by ${door}`
}

function findFloorFault({ from, to, isType }: Import): string | null {
  if (roots.includes(to)) return to === 'server/deps.ts' && isType ? null : 'only entry points import this file'
  const [room, other] = [findRoom(from), findRoom(to)]
  if (room === undefined || other === undefined) return 'a file of the server belongs to a room'
  if (room === other) return null
  const [floor, below] = [floorNumbers.get(findDistrict(room)), floorNumbers.get(findDistrict(other))]
  if (floor === undefined || below === undefined) return 'the district is not in test/districts.ts'
  if (findDistrict(room) !== findDistrict(other) && below >= floor)
    return `${findDistrict(room)} is not above ${findDistrict(other)}`
  return null
}

/** Returns import cycles between rooms, each as a path back to its first room. */
export function findImportCycles(imports: readonly Import[]): string[] {
  const imported = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [room, other] = [findRoom(from), findRoom(to)]
    if (roots.includes(from) || roots.includes(to) || !room || !other || room === other) continue
    imported.set(room, (imported.get(room) ?? new Set()).add(other))
  }
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (room: string, path: readonly string[]) => {
    const start = path.indexOf(room)
    if (start >= 0) circles.push([...path.slice(start), room].join(' → '))
    if (start >= 0 || done.has(room)) return
    for (const other of imported.get(room) ?? []) walk(other, [...path, room])
    done.add(room)
  }
  for (const room of imported.keys()) walk(room, [])
  return circles
}
