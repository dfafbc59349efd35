// The storefront's only script: adds to the cart without leaving the page, and saves input at the checkout.
function showMessage(kind, text) {
  for (const bar of document.querySelectorAll('[data-error], [data-notice]')) bar.hidden = true
  const bar = document.querySelector(`[data-${kind}]`)
  bar.textContent = text
  bar.hidden = false
}

const buying = document.querySelector('[data-add-to-cart]')
buying?.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = new FormData(buying)
  const items = [{ id: Number(form.get('id')), quantity: Number(form.get('quantity')) || 1 }]
  const answer = await fetch('/cart/add.js', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ items }),
  })
  const reply = await answer.json()
  if (!answer.ok) return showMessage('error', reply.description)
  const cart = await (await fetch('/cart.js')).json()
  for (const count of document.querySelectorAll('[data-cart-count]')) count.textContent = String(cart.item_count)
  showMessage('notice', `${reply.items[0].title} was added to your cart. `)
  const link = Object.assign(document.createElement('a'), { href: '/cart', textContent: 'View cart' })
  document.querySelector('[data-notice]').append(link)
})

const checkout = document.querySelector('[data-checkout]')
let saveQueue = Promise.resolve()
checkout?.addEventListener('change', () => {
  const body = new URLSearchParams(new FormData(checkout))
  body.set('do', 'keep')
  saveQueue = saveQueue.then(async () => {
    const answer = await fetch(checkout.action, { method: 'POST', body, keepalive: true })
    if (!answer.ok) return
    const { total } = await answer.json()
    document.querySelector('[data-totals] .grand dd').textContent = total
    checkout.dataset.kept = String(Number(checkout.dataset.kept ?? 0) + 1)
  })
})
