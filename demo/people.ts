import type { Random } from './random.ts'

// Generates fictional shoppers. Addresses end in example.com and numbers in 555-01xx, both reserved for fiction.

export interface Person {
  firstName: string
  lastName: string
  email: string
  phone: string | null
  country: string
  address: { address_1: string; city: string; state: string; postcode: string }
  /** Their mail server rejects emails permanently. */
  isGone: boolean
}

const FIRST_NAMES =
  'Olivia Noah Amelia Elijah Charlotte Mateo Mia Theo Isabella Henry Evelyn Lucas Harper Levi Camila Jack Gianna Owen Luna Ezra Eleanor Miles Nora Caleb Hazel Isaac Violet Ruben Aurora Felix Penelope Simon Stella Marcus Ivy Jonah Naomi Adrian Ruth Victor Clara Hugo June Amir Priya Kenji Fatima Diego Ingrid Tomás Leila Andre Wren Silas'.split(
    ' ',
  )
const LAST_NAMES =
  'Bennett Alvarez Coleman Diaz Ellis Foster Greene Hughes Ibarra Jensen Kim Lowell Mercer Novak Okafor Park Quinn Reyes Schultz Tran Underwood Vaughn Whitaker Young Abbott Barnes Castillo Dalton Everett Farrell Garza Holloway Ingram Jacobs Kaplan Lindqvist Marsh Nakamura Osborne Patel Ramsey Sinclair Thatcher Ueda Valdez Winslow Xu Yates Zimmer'.split(
    ' ',
  )
const STREETS = 'Maple St,Oak Ave,Pine St,Cedar Ln,Elm St,Lake Rd,Hill St,River Rd,Park Ave,Church St'.split(',')
const CITIES = [
  ['Burlington', 'VT', '05401', '802'],
  ['Portland', 'ME', '04101', '207'],
  ['Boston', 'MA', '02116', '617'],
  ['Brooklyn', 'NY', '11201', '718'],
  ['Philadelphia', 'PA', '19103', '215'],
  ['Asheville', 'NC', '28801', '828'],
  ['Austin', 'TX', '78704', '512'],
  ['Denver', 'CO', '80205', '303'],
  ['Portland', 'OR', '97205', '503'],
  ['Seattle', 'WA', '98101', '206'],
  ['Oakland', 'CA', '94607', '510'],
  ['Minneapolis', 'MN', '55401', '612'],
] as const

/** Creates the `n`th shopper. Addresses and numbers are unique. */
export function createPerson(random: Random, n: number): Person {
  const firstName = random.pick(FIRST_NAMES)
  const lastName = random.pick(LAST_NAMES)
  const [city, state, postcode, area] = CITIES[n % CITIES.length]!
  const isAbroad = random.chance(0.015)
  const plain = (name: string) =>
    name
      .normalize('NFD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase()
  const line = String(100 + (Math.floor(n / CITIES.length) % 100)).padStart(4, '0')
  return {
    firstName,
    lastName,
    email: `${plain(firstName)}.${plain(lastName)}${n}@example.com`,
    phone: !isAbroad && random.chance(0.5) ? `+1${area}555${line}` : null,
    country: isAbroad ? 'DE' : 'US',
    address: isAbroad
      ? { address_1: `Lindenstraße ${random.between(1, 90)}`, city: 'Leipzig', state: '', postcode: '04109' }
      : { address_1: `${random.between(2, 980)} ${random.pick(STREETS)}`, city, state, postcode },
    isGone: random.chance(0.012),
  }
}
