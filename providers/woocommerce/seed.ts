// Products, coupons and customers of a fresh demo store. The order of these lists determines the ids.
import { encodeOption, type Product, saveProduct } from './catalog.ts'
import { addCoupon } from './coupons.ts'
import { addCustomer, noAddress, recordVisit } from './customers.ts'
import type { PictureName } from './pictures.ts'
import { readSeconds, type Shop } from './shop.ts'
import { raiseCounter, takeNextId, transact } from './sqlite.ts'

type CategoryName = 'Tea' | 'Coffee' | 'Ceramics' | 'Gifts'
type SeedProduct = {
  name: string
  slug: string
  sku: string
  shelf: CategoryName
  regular: number
  sale?: number
  stock?: number
  short: string
  long: string
  picture: PictureName
  isDraft?: true
}

const CATEGORIES: Record<CategoryName, number> = { Tea: 16, Coffee: 17, Ceramics: 18, Gifts: 19 }

const SEED_PRODUCTS: SeedProduct[] = [
  {
    name: 'Sunday Stoneware Mug',
    slug: 'sunday-stoneware-mug',
    sku: 'MC-MUG-01',
    shelf: 'Ceramics',
    regular: 2800,
    picture: 'mug',
    short: 'A generous 12 oz mug with a thumb rest.',
    long: 'Thrown on the wheel, glazed in oat white outside and bare clay at the foot. Holds heat, sits well in two hands and goes in the dishwasher.',
  },
  {
    name: 'Harbor Fog Earl Grey',
    slug: 'harbor-fog-earl-grey',
    sku: 'MC-TEA-01',
    shelf: 'Tea',
    regular: 1450,
    picture: 'teaTin',
    short: 'Black tea, bergamot and a little vanilla.',
    long: 'A malty Assam base with cold-pressed bergamot oil. 3.5 oz of loose leaf, about forty cups.',
  },
  {
    name: 'Green Mountain Sencha',
    slug: 'green-mountain-sencha',
    sku: 'MC-TEA-02',
    shelf: 'Tea',
    regular: 1800,
    picture: 'pouch',
    short: 'Spring-picked green tea, bright and grassy.',
    long: 'Steamed within a day of picking. Brew at 170 °F for a minute and a half, then again, then once more. 3 oz.',
  },
  {
    name: 'Honey &amp; Ginger Chai',
    slug: 'honey-ginger-chai',
    sku: 'MC-TEA-03',
    shelf: 'Tea',
    regular: 1600,
    picture: 'chai',
    short: 'Whole spices, real ginger, honey sugar.',
    long: 'Cardamom, clove, cinnamon and black pepper over a strong CTC black tea. Simmer in milk for five minutes. 4 oz.',
  },
  {
    name: 'Kiln Roast Espresso',
    slug: 'kiln-roast-espresso',
    sku: 'MC-COF-01',
    shelf: 'Coffee',
    regular: 1950,
    picture: 'coffeeBag',
    short: 'Dark chocolate, toasted hazelnut, low acidity.',
    long: 'A blend from Huila and Cerrado, roasted on Tuesdays and shipped on Wednesdays. 12 oz, whole bean.',
  },
  {
    name: 'First Frost Filter Coffee',
    slug: 'first-frost-filter-coffee',
    sku: 'MC-COF-02',
    shelf: 'Coffee',
    regular: 2100,
    sale: 1700,
    picture: 'filterBag',
    short: 'Light roast: apricot, jasmine, cane sugar.',
    long: 'A washed coffee from Yirgacheffe that is at its best in a pour-over. 12 oz, whole bean.',
  },
  {
    name: 'Ridge Pour-Over Set',
    slug: 'ridge-pour-over-set',
    sku: 'MC-COF-03',
    shelf: 'Coffee',
    regular: 5400,
    picture: 'dripper',
    short: 'Ribbed dripper and a 20 oz server.',
    long: 'The ribs keep the paper off the wall, so the water runs evenly. Fits size 2 filters, ten are in the box.',
  },
  {
    name: 'Little Fox Teapot',
    slug: 'little-fox-teapot',
    sku: 'MC-POT-01',
    shelf: 'Ceramics',
    regular: 6800,
    stock: 6,
    picture: 'teapot',
    short: 'Two cups, one clean pour.',
    long: 'A small pot with a built-in strainer and a lid that stays on. Made in batches of twelve, so there are never many.',
  },
  {
    name: 'Long Table Serving Bowl',
    slug: 'long-table-serving-bowl',
    sku: 'MC-BWL-01',
    shelf: 'Ceramics',
    regular: 7600,
    picture: 'bowl',
    short: 'Eleven inches, iron-speckled glaze.',
    long: 'Wide enough for a salad for six, deep enough for a stew for four. Oven-safe to 400 °F.',
  },
  {
    name: 'Bramble Dinner Plates',
    slug: 'bramble-dinner-plates',
    sku: 'MC-PLT-01',
    shelf: 'Ceramics',
    regular: 9600,
    sale: 8200,
    picture: 'plates',
    short: 'A set of four, each rim painted by hand.',
    long: 'Ten and a half inches across. No two rims are the same, which is the point.',
  },
  {
    name: 'Wood-Fired Moon Jar',
    slug: 'wood-fired-moon-jar',
    sku: 'MC-JAR-01',
    shelf: 'Ceramics',
    regular: 24000,
    stock: 0,
    picture: 'jar',
    short: 'One a firing. This one has gone.',
    long: 'Four days in the wood kiln, ash glaze where the flame went. The next firing is in spring.',
  },
  {
    name: 'Maple Candy Tin',
    slug: 'maple-candy-tin',
    sku: 'MC-GFT-01',
    shelf: 'Gifts',
    regular: 1200,
    picture: 'candy',
    short: 'Twenty leaves of pure maple sugar.',
    long: 'One ingredient, boiled down in the sugarhouse next door. Keeps for half a year, if you can.',
  },
  {
    name: 'Rainy Afternoon Gift Box',
    slug: 'rainy-afternoon-gift-box',
    sku: 'MC-GFT-02',
    shelf: 'Gifts',
    regular: 5800,
    picture: 'giftBox',
    short: 'A mug, a tin of Earl Grey, maple candy.',
    long: 'Packed in wood wool with a card you can have written by us. Write what it should say into the order note.',
  },
  {
    name: 'Spring Firing Preview',
    slug: 'spring-firing-preview',
    sku: 'MC-DRAFT',
    shelf: 'Ceramics',
    regular: 3000,
    picture: 'bowl',
    short: 'Not for sale yet.',
    long: 'To be photographed.',
    isDraft: true,
  },
]

const glazes = [
  { option: 'Oat White', sku: 'MC-CUP-OAT', regular: 3400, picture: 'cupOat' as PictureName },
  { option: 'Moss', sku: 'MC-CUP-MOS', regular: 3400, picture: 'cupMoss' as PictureName },
  { option: 'Midnight', sku: 'MC-CUP-MID', regular: 3800, sale: 3200, picture: 'cupMidnight' as PictureName },
]

const firstProductId = 20

export function seedStore(shop: Shop) {
  transact(shop.db, () => {
    raiseCounter(shop.db, 'post', firstProductId - 1)
    const openedAt = readSeconds(shop) - 200 * 86_400
    SEED_PRODUCTS.forEach((product, at) => {
      saveProduct(shop, buildProduct(shop, product, openedAt + at * 3600))
    })
    seedCups(shop, openedAt + SEED_PRODUCTS.length * 3600)
    seedCoupons(shop, openedAt)
    seedCustomers(shop, openedAt)
  })
}

function buildProduct(shop: Shop, product: SeedProduct, createdAt: number): Product {
  const id = takeNextId(shop.db, 'post')
  return {
    id,
    parentId: 0,
    type: 'simple',
    status: product.isDraft ? 'draft' : 'publish',
    name: product.name,
    slug: product.slug,
    sku: product.sku,
    description: `<p>${product.long}</p>\n`,
    shortDescription: `<p>${product.short}</p>\n`,
    regularMinor: product.regular,
    saleMinor: product.sale ?? null,
    stock: product.stock ?? null,
    isSoldOut: product.stock === 0,
    categories: [findCategory(product.shelf)],
    pictures: [{ id: id + 5000, file: `${product.picture}.jpg` }],
    attributes: [],
    options: [],
    variations: [],
    weight: '',
    menuOrder: 0,
    totalSales: 0,
    createdAt,
    modifiedAt: createdAt,
  }
}

function seedCups(shop: Shop, createdAt: number) {
  const short = 'Four espresso-sized cups that stack.'
  const long = 'Straight walls, a fine rim and a glaze that pools at the foot. A set of four in one color.'
  const cups: SeedProduct = {
    name: 'Stacking Cups',
    slug: 'stacking-cups',
    sku: 'MC-CUP',
    shelf: 'Ceramics',
    regular: 0,
    short,
    long,
    picture: 'cupOat',
  }
  const parent = buildProduct(shop, cups, createdAt)
  const attribute = { id: 1, name: 'Glaze', slug: 'pa_glaze' }
  const variations = glazes.map(({ option, ...own }, menuOrder): Product => {
    const product = { ...cups, ...own, slug: `${cups.slug}-${encodeOption('pa_', option)}` }
    const options = [{ ...attribute, option }]
    const place = { parentId: parent.id, shortDescription: '', categories: [], options, menuOrder }
    return { ...buildProduct(shop, product, createdAt), ...place, type: 'variation' }
  })
  for (const variation of variations) saveProduct(shop, variation)
  const attributes = [{ ...attribute, options: glazes.map(({ option }) => option) }]
  const ids = variations.map(({ id }) => id)
  saveProduct(shop, { ...parent, type: 'variable', regularMinor: null, attributes, variations: ids })
}

function seedCoupons(shop: Shop, createdAt: number) {
  const percent = { discountType: 'percent', createdAt } as const
  addCoupon(shop, { ...percent, code: 'welcome10', amountMinor: 1000, description: 'Ten percent off a first order' })
  addCoupon(shop, { code: 'teatime5', amountMinor: 500, minimumMinor: 3000, createdAt })
  addCoupon(shop, { code: 'freeship', freeShipping: true, minimumMinor: 4000, createdAt })
  addCoupon(shop, { ...percent, code: 'lastyear', amountMinor: 1500, expiresAt: readSeconds(shop) - 30 * 86_400 })
}

type SeedCustomer = {
  name: [first: string, last: string]
  company?: string
  phone: string
  home: [street: string, city: string, state: string, postcode: string]
  /** Seconds since registration. */
  since: number
  /** Seconds since the last visit; missing: none since the registration. */
  seen?: number
}

const hour = 3600
const day = 24 * hour
const pearlStreet: SeedCustomer['home'] = ['12 Pearl St', 'Burlington', 'VT', '05401']
/** Fictional numbers, in an area code that the past's guests do not use. */
const SEED_CUSTOMERS: SeedCustomer[] = [
  {
    name: ['Ava', 'Thompson'],
    company: 'Pearl Street Books',
    since: 170 * day,
    phone: '+16035550101',
    home: pearlStreet,
    seen: 5 * hour,
  },
  { name: ['Liam', 'Nguyen'], since: 120 * day, phone: '+16035550102', home: pearlStreet, seen: 3 * day },
  {
    name: ['Sofia', 'Marino'],
    company: 'Marino & Daughters',
    since: 95 * day,
    phone: '+16035550103',
    home: pearlStreet,
    seen: 41 * day,
  },
  {
    name: ['Henrik', 'Dahl'],
    company: 'Café Nordlys',
    since: 33 * day,
    phone: '+16035550104',
    home: ['41 Water St', 'Exeter', 'NH', '03833'],
    seen: 26 * hour,
  },
  {
    name: ['Grace', 'Okoye'],
    since: 7 * hour,
    phone: '+16035550105',
    home: ['7 Elm St', 'Concord', 'NH', '03301'],
    seen: 6 * hour,
  },
  {
    name: ['Thomas', 'Brandt'],
    company: 'Brandt Interiors',
    since: 11 * hour,
    phone: '+16035550106',
    home: ['230 Congress St', 'Portsmouth', 'NH', '03801'],
  },
]

function seedCustomers(shop: Shop, createdAt: number) {
  const owner = { email: 'owner@mapleandclay.example.com', username: 'owner', role: 'administrator' }
  const june = addCustomer(shop, { ...owner, firstName: 'June', lastName: 'Carver', createdAt, modifiedAt: createdAt })
  recordVisit(shop, june, readSeconds(shop) - hour)
  for (const { name, company = '', phone, home: address, since, seen: lastSeen } of SEED_CUSTOMERS) {
    const [firstName, lastName] = name
    const [address_1, city, state, postcode] = address
    const email = `${firstName}.${lastName}@example.com`.toLowerCase()
    const at = { address_1, city, state, postcode, country: 'US', phone, company }
    const billing = { ...noAddress, ...at, first_name: firstName, last_name: lastName, email }
    const registeredAt = readSeconds(shop) - since
    const dates = { createdAt: registeredAt, modifiedAt: registeredAt }
    const customer = addCustomer(shop, { email, firstName, lastName, billing, ...dates })
    if (lastSeen !== undefined) recordVisit(shop, customer, readSeconds(shop) - lastSeen)
  }
}

function findCategory(name: CategoryName) {
  return { id: CATEGORIES[name], name, slug: name.toLowerCase() }
}
