// The shop front's only script: talks to the Store API as the cart and checkout blocks do, and tells the page about it.
const api = '/wp-json/wc/store/v1/'
const facts = JSON.parse(document.getElementById('page-facts').textContent)
let nonce = facts.nonce

async function call(method, path, body) {
  if (!nonce && method !== 'GET') await call('GET', 'cart')
  const headers = { 'Content-Type': 'application/json', ...(nonce ? { Nonce: nonce } : {}) }
  const answer = await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  nonce = answer.headers.get('nonce') ?? nonce
  const reply = await answer.json()
  // A refusal can come with the cart as it is now, as when a coupon was taken out of it.
  if (reply.data?.cart) show(reply.data.cart)
  if (!answer.ok) throw new Error(plain(reply.message ?? 'Something went wrong. Please try again.'))
  if (reply.items_count !== undefined) show(reply)
  return reply
}

function show(cart) {
  for (const count of document.querySelectorAll('[data-cart-count]')) count.textContent = String(cart.items_count)
  if (document.querySelector('[data-totals]')) totals(cart)
  const words = cart.errors.map(({ message }) => plain(message))
  if (words.length) say('error', words.join(' '))
}

// Messages come with entities; a text area decodes them without running anything.
function plain(html) {
  const area = document.createElement('textarea')
  area.innerHTML = html
  return area.value
}

function say(kind, text) {
  for (const bar of document.querySelectorAll('[data-error], [data-notice]')) bar.hidden = true
  const bar = document.querySelector(`[data-${kind}]`)
  bar.textContent = text
  bar.hidden = false
  if (kind === 'error') bar.scrollIntoView({ block: 'nearest' })
}

function tell(name, detail) {
  document.body.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }))
}

async function add(id, quantity, label) {
  const cart = await call('POST', 'cart/add-item', { id, quantity })
  const detail = { preserveCartData: false, productId: id, quantity }
  tell('wc-blocks_added_to_cart', detail)
  tell('added_to_cart', detail)
  tell('wc-cart-changed', { reason: 'added', count: cart.items_count })
  say('notice', `${label} has been added to your cart. `)
  const link = Object.assign(document.createElement('a'), { href: '/cart/', textContent: 'View cart' })
  document.querySelector('[data-notice]').append(link)
}

async function guarded(button, work) {
  button.disabled = true
  try {
    await work()
  } catch (error) {
    say('error', error.message)
  } finally {
    button.disabled = false
  }
}

for (const button of document.querySelectorAll('[data-quick-add]')) {
  const label = button.closest('.card').querySelector('.name').textContent
  button.addEventListener('click', () => guarded(button, () => add(Number(button.dataset.quickAdd), 1, `“${label}”`)))
}

const buying = document.querySelector('[data-add-to-cart]')
if (buying) {
  buying.addEventListener('submit', (event) => {
    event.preventDefault()
    const chosen = buying.querySelector('[data-variation]:checked')
    const id = Number(chosen ? chosen.dataset.variation : buying.dataset.product)
    const label = `“${document.querySelector('h1').textContent}”`
    guarded(buying.querySelector('button'), () => add(id, Number(buying.quantity.value) || 1, label))
  })
  buying.addEventListener('change', ({ target }) => {
    const found = (facts.variations ?? []).find(({ id }) => String(id) === target.dataset.variation)
    if (!found) return
    document.querySelector('[data-price]').innerHTML = found.price
    document.querySelector('[data-stock]').textContent = found.stock
    document.querySelector('[data-sku]').textContent = found.sku
    document.querySelector('[data-picture]').src = found.picture
  })
}

for (const form of document.querySelectorAll('[data-quantity]')) {
  form.querySelector('[type="number"]').addEventListener('change', () => form.requestSubmit())
}

const checkout = document.querySelector('[data-checkout]')
if (checkout) startCheckout(checkout)

function startCheckout(form) {
  const inputs = [...form.querySelectorAll('.field input, select')]
  for (const input of inputs) {
    input.addEventListener(input.tagName === 'SELECT' ? 'change' : 'blur', () => {
      if (input.value.trim()) check(input)
      void send(form)
    })
  }
  // A complaint goes while its field is being mended, not on leaving it: a line that vanishes then would move the very
  // button that is being clicked.
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') === 'true') check(target)
  })
  form.country.addEventListener('change', () => {
    form.querySelector('[data-state]').hidden = form.country.value !== 'US'
  })
  form.addEventListener('change', ({ target }) => {
    if (target.dataset.field) tellBoxes(form)
    if (target.name === 'rate') void call('POST', 'cart/select-shipping-rate', { package_id: 0, rate_id: target.value })
    if (target.name === 'payment_method') modes(form)
  })
  form.addEventListener('click', ({ target }) => {
    const { dropCoupon: code } = target.dataset
    if (code) void guarded(target, () => call('POST', 'cart/remove-coupon', { code }))
  })
  modes(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void place(form, inputs)
  })
}

// As the block does, a second and a half after the last tick.
let telling
function tellBoxes(form) {
  clearTimeout(telling)
  telling = setTimeout(() => {
    void call('POST', 'checkout?__experimental_calc_totals=true', { additional_fields: boxesOf(form) }).catch(() => {})
  }, 1_500)
}

function boxesOf(form) {
  return Object.fromEntries([...form.querySelectorAll('[data-field]')].map((box) => [box.dataset.field, box.checked]))
}

function modes(form) {
  form.querySelector('[data-modes]').hidden = form.payment_method.value !== 'testcard'
}

function addressOf(form) {
  const names = ['first_name', 'last_name', 'address_1', 'address_2', 'city', 'postcode', 'country', 'phone']
  const address = Object.fromEntries(names.map((name) => [name, form.elements[name].value.trim()]))
  return { ...address, company: '', state: form.country.value === 'US' ? form.elements.state.value : '' }
}

// One request after another: the answer to an older blur must not overtake a newer one.
let last = ''
let queue = Promise.resolve()
function send(form) {
  const shipping_address = addressOf(form)
  const customer = {
    billing_address: { ...shipping_address, email: form.elements.email.value.trim() },
    shipping_address,
  }
  const text = JSON.stringify(customer)
  if (text === last) return queue
  last = text
  queue = queue.then(() => call('POST', 'cart/update-customer', customer)).catch(() => undefined)
  return queue
}

function totals(cart) {
  const { totals: sums, coupons, shipping_rates } = cart
  const row = (name, minor, mark = '', css = '') =>
    `<div class="${css}"><dt>${name}</dt><dd>${mark}${amount(sums, minor)}</dd></div>`
  const rate = shipping_rates[0]?.shipping_rates.find(({ selected }) => selected)
  const rows = [
    row('Subtotal', sums.total_items),
    ...coupons.map(({ code, totals: off }) =>
      row(`Coupon <code>${escaped(code)}</code> ${dropButton(escaped(code))}`, off.total_discount, '−', 'discount'),
    ),
    row(`Shipping${rate ? ` (${rate.name})` : ''}`, sums.total_shipping ?? 0),
    ...sums.tax_lines.map((tax) => row(tax.name, tax.price)),
    row('Total', sums.total_price, '', 'grand'),
  ]
  document.querySelector('[data-totals]').innerHTML = `<dl class="totals">${rows.join('')}</dl>`
}

function escaped(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

function dropButton(code) {
  return `<button class="plain" type="button" data-drop-coupon="${code}" aria-label="Remove coupon ${code}">Remove</button>`
}

function amount({ currency_prefix, currency_minor_unit: digits }, minor) {
  const number = Number(minor) / 10 ** digits
  return currency_prefix + number.toLocaleString('en-US', { minimumFractionDigits: digits })
}

function check(input) {
  const value = input.value.trim()
  const label = document.querySelector(`label[for="${input.id}"]`).textContent
  const isBadMail = input.type === 'email' && value && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)
  const text = isBadMail
    ? 'Please enter a valid email address'
    : input.required && !value
      ? `Please enter a valid ${label.toLowerCase()}`
      : ''
  const line = document.getElementById(`${input.id}-error`)
  if (!line) return true
  line.textContent = text
  line.hidden = !text
  input.setAttribute('aria-invalid', String(Boolean(text)))
  return !text
}

// The words beside each ticked box: what was agreed to goes along with the order.
function agreed(form) {
  const boxes = [...form.querySelectorAll('[data-agree]:checked')]
  return Object.fromEntries(boxes.map((box) => [box.dataset.agree, box.labels[0].textContent.trim()]))
}

async function place(form, inputs) {
  const wrong = inputs.filter((input) => !check(input))
  if (wrong.length) {
    wrong[0].focus()
    return
  }
  const button = form.querySelector('[data-place]')
  const complaint = form.querySelector('[data-form-error]')
  button.disabled = true
  complaint.hidden = true
  await queue
  const shipping_address = addressOf(form)
  const order = {
    shipping_address,
    billing_address: { ...shipping_address, email: form.elements.email.value.trim() },
    payment_method: form.payment_method.value,
    payment_data: [{ key: 'testcard_mode', value: form.testcard_mode.value }],
    customer_note: form.note.value,
    extensions: { recoup: agreed(form) },
    additional_fields: boxesOf(form),
  }
  try {
    const reply = await call('POST', 'checkout', order)
    tell('wc-cart-changed', { reason: 'ordered', orderId: reply.order_id })
    location.assign(
      new URL(reply.payment_result.redirect_url).pathname + new URL(reply.payment_result.redirect_url).search,
    )
  } catch (error) {
    complaint.textContent = error.message
    complaint.hidden = false
    button.disabled = false
    complaint.scrollIntoView({ block: 'nearest' })
  }
}
