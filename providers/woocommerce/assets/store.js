// The shop's only script: calls the Store API as the cart and checkout blocks do, and dispatches their events.
const api = '/wp-json/wc/store/v1/'
const facts = JSON.parse(document.getElementById('page-facts').textContent)
let nonce = facts.nonce

async function call(method, path, body) {
  if (!nonce && method !== 'GET') await call('GET', 'cart')
  const headers = { 'Content-Type': 'application/json', ...(nonce ? { Nonce: nonce } : {}) }
  const answer = await fetch(api + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  nonce = answer.headers.get('nonce') ?? nonce
  const reply = await answer.json()
  // An error can contain the current cart, for example after a coupon was removed.
  if (reply.data?.cart) showCart(reply.data.cart)
  if (!answer.ok) throw new Error(decodeEntities(reply.message ?? 'Something went wrong. Please try again.'))
  if (reply.items_count !== undefined) showCart(reply)
  return reply
}

function showCart(cart) {
  for (const count of document.querySelectorAll('[data-cart-count]')) count.textContent = String(cart.items_count)
  if (document.querySelector('[data-totals]')) showTotals(cart)
  const words = cart.errors.map(({ message }) => decodeEntities(message))
  if (words.length) showMessage('error', words.join(' '))
}

// Messages contain HTML entities; a textarea decodes them without running scripts.
function decodeEntities(html) {
  const area = document.createElement('textarea')
  area.innerHTML = html
  return area.value
}

function showMessage(kind, text) {
  for (const bar of document.querySelectorAll('[data-error], [data-notice]')) bar.hidden = true
  const bar = document.querySelector(`[data-${kind}]`)
  bar.textContent = text
  bar.hidden = false
  if (kind === 'error') bar.scrollIntoView({ block: 'nearest' })
}

function dispatchCartEvent(name, detail) {
  document.body.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }))
}

async function addItem(id, quantity, label) {
  const cart = await call('POST', 'cart/add-item', { id, quantity })
  const detail = { preserveCartData: false, productId: id, quantity }
  dispatchCartEvent('wc-blocks_added_to_cart', detail)
  dispatchCartEvent('added_to_cart', detail)
  dispatchCartEvent('wc-cart-changed', { reason: 'added', count: cart.items_count })
  showMessage('notice', `${label} has been added to your cart. `)
  const link = Object.assign(document.createElement('a'), { href: '/cart/', textContent: 'View cart' })
  document.querySelector('[data-notice]').append(link)
}

async function runWithButton(button, work) {
  button.disabled = true
  try {
    await work()
  } catch (error) {
    showMessage('error', error.message)
  } finally {
    button.disabled = false
  }
}

for (const button of document.querySelectorAll('[data-quick-add]')) {
  const label = button.closest('.card').querySelector('.name').textContent
  button.addEventListener('click', () =>
    runWithButton(button, () => addItem(Number(button.dataset.quickAdd), 1, `“${label}”`)),
  )
}

const buying = document.querySelector('[data-add-to-cart]')
if (buying) {
  buying.addEventListener('submit', (event) => {
    event.preventDefault()
    const chosen = buying.querySelector('[data-variation]:checked')
    const id = Number(chosen ? chosen.dataset.variation : buying.dataset.product)
    const label = `“${document.querySelector('h1').textContent}”`
    runWithButton(buying.querySelector('button'), () => addItem(id, Number(buying.quantity.value) || 1, label))
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
      if (input.value.trim()) validate(input)
      void sendCustomer(form)
    })
  }
  // Hides an error while its field is edited, not on blur: a line that disappears on blur would move the button that is
  // being clicked.
  form.addEventListener('input', ({ target }) => {
    if (target.getAttribute('aria-invalid') === 'true') validate(target)
  })
  form.country.addEventListener('change', () => {
    form.querySelector('[data-state]').hidden = form.country.value !== 'US'
  })
  form.addEventListener('change', ({ target }) => {
    if (target.dataset.field) sendBoxes(form)
    if (target.name === 'rate') void call('POST', 'cart/select-shipping-rate', { package_id: 0, rate_id: target.value })
    if (target.name === 'payment_method') toggleModes(form)
  })
  form.addEventListener('click', ({ target }) => {
    const { dropCoupon: code } = target.dataset
    if (code) void runWithButton(target, () => call('POST', 'cart/remove-coupon', { code }))
  })
  toggleModes(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void placeOrder(form, inputs)
  })
}

// Sends boxes 1.5 seconds after the last tick, as the block does.
let boxTimer
function sendBoxes(form) {
  clearTimeout(boxTimer)
  boxTimer = setTimeout(() => {
    void call('POST', 'checkout?__experimental_calc_totals=true', { additional_fields: readBoxes(form) }).catch(
      () => {},
    )
  }, 1_500)
}

function readBoxes(form) {
  return Object.fromEntries([...form.querySelectorAll('[data-field]')].map((box) => [box.dataset.field, box.checked]))
}

function toggleModes(form) {
  form.querySelector('[data-modes]').hidden = form.payment_method.value !== 'testcard'
}

function readAddress(form) {
  const names = ['first_name', 'last_name', 'address_1', 'address_2', 'city', 'postcode', 'country', 'phone']
  const address = Object.fromEntries(names.map((name) => [name, form.elements[name].value.trim()]))
  return { ...address, company: '', state: form.country.value === 'US' ? form.elements.state.value : '' }
}

// One request at a time, so that an older response cannot overwrite a newer one.
let lastCustomer = ''
let queue = Promise.resolve()
function sendCustomer(form) {
  const shipping_address = readAddress(form)
  const customer = {
    billing_address: { ...shipping_address, email: form.elements.email.value.trim() },
    shipping_address,
  }
  const text = JSON.stringify(customer)
  if (text === lastCustomer) return queue
  lastCustomer = text
  queue = queue.then(() => call('POST', 'cart/update-customer', customer)).catch(() => undefined)
  return queue
}

function showTotals(cart) {
  const { totals: sums, coupons, shipping_rates } = cart
  const row = (name, minor, mark = '', css = '') =>
    `<div class="${css}"><dt>${name}</dt><dd>${mark}${amount(sums, minor)}</dd></div>`
  const rate = shipping_rates[0]?.shipping_rates.find(({ selected }) => selected)
  const rows = [
    row('Subtotal', sums.total_items),
    ...coupons.map(({ code, totals: off }) =>
      row(
        `Coupon <code>${escapeHtml(code)}</code> ${dropButton(escapeHtml(code))}`,
        off.total_discount,
        '−',
        'discount',
      ),
    ),
    row(`Shipping${rate ? ` (${rate.name})` : ''}`, sums.total_shipping ?? 0),
    ...sums.tax_lines.map((tax) => row(tax.name, tax.price)),
    row('Total', sums.total_price, '', 'grand'),
  ]
  document.querySelector('[data-totals]').innerHTML = `<dl class="totals">${rows.join('')}</dl>`
}

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

function dropButton(code) {
  return `<button class="plain" type="button" data-drop-coupon="${code}" aria-label="Remove coupon ${code}">Remove</button>`
}

function amount({ currency_prefix, currency_minor_unit: digits }, minor) {
  const number = Number(minor) / 10 ** digits
  return currency_prefix + number.toLocaleString('en-US', { minimumFractionDigits: digits })
}

function validate(input) {
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

// Texts of ticked boxes, sent with the order.
function readConsents(form) {
  const boxes = [...form.querySelectorAll('[data-agree]:checked')]
  return Object.fromEntries(boxes.map((box) => [box.dataset.agree, box.labels[0].textContent.trim()]))
}

async function placeOrder(form, inputs) {
  const wrong = inputs.filter((input) => !validate(input))
  if (wrong.length) {
    wrong[0].focus()
    return
  }
  const button = form.querySelector('[data-place]')
  const errorLine = form.querySelector('[data-form-error]')
  button.disabled = true
  errorLine.hidden = true
  await queue
  const shipping_address = readAddress(form)
  const order = {
    shipping_address,
    billing_address: { ...shipping_address, email: form.elements.email.value.trim() },
    payment_method: form.payment_method.value,
    payment_data: [{ key: 'testcard_mode', value: form.testcard_mode.value }],
    customer_note: form.note.value,
    extensions: { recoup: readConsents(form) },
    additional_fields: readBoxes(form),
  }
  try {
    const reply = await call('POST', 'checkout', order)
    dispatchCartEvent('wc-cart-changed', { reason: 'ordered', orderId: reply.order_id })
    location.assign(
      new URL(reply.payment_result.redirect_url).pathname + new URL(reply.payment_result.redirect_url).search,
    )
  } catch (error) {
    errorLine.textContent = error.message
    errorLine.hidden = false
    button.disabled = false
    errorLine.scrollIntoView({ block: 'nearest' })
  }
}
