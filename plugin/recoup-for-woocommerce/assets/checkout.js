/* Sends contact fields of the classic checkout to the shop as soon as they are complete. */
;(() => {
  var setup = window.recoupCheckout
  if (!setup || !window.FormData || !window.fetch) return
  var FIELDS = {
    billing_email: 'email',
    billing_phone: 'phone',
    billing_first_name: 'first_name',
    billing_last_name: 'last_name',
    billing_country: 'country',
  }
  var touched = {}
  // Text id of each touched box: the request's language can differ from the page's.
  var wordings = {}
  var lastSent = ''
  var timer

  function readField(id) {
    var field = document.getElementById(id)
    return field && field.type !== 'password' && field.value ? field.value.trim() : ''
  }

  function hasToolAnswer(categories, word) {
    var name = (setup.tool || 'wp_consent').replace(/[^\w-]/g, '')
    return new RegExp(`(^|; )${name}_(${categories})=${word}`).test(document.cookie)
  }

  function maySend() {
    if (hasToolAnswer('marketing|functional', 'deny'))
      return Object.keys(touched).some((name) => touched[name] === 'no')
    // A withdrawn consent is sent, too.
    return !setup.asks || Object.keys(touched).length > 0 || hasToolAnswer('marketing', 'allow')
  }

  /** Lists the visible boxes. A theme may omit or hide them. */
  function readBoxes() {
    return Array.from(document.querySelectorAll('[id^="recoup_consent_"][data-recoup-wording]'))
      .filter((box) => [box].concat(Array.from(box.labels || [])).some((each) => each.getClientRects().length > 0))
      .map((box) => `${box.id.slice(15)}=${box.getAttribute('data-recoup-wording')}`)
      .join(',')
  }

  /** Returns whether there was anything to send. */
  function send() {
    clearTimeout(timer)
    if (!maySend()) return false
    var data = new FormData()
    var sent = ''
    Object.keys(FIELDS).forEach((id) => {
      var value = readField(id)
      if (!value || (id === 'billing_email' && !/^\S+@\S+\.\S{2,}$/.test(value))) return
      data.append(FIELDS[id], value)
      if (id !== 'billing_country') sent += id + value
    })
    Object.keys(touched).forEach((name) => {
      data.append(name, touched[name])
      data.append(`${name}_wording`, wordings[name])
      sent += name + touched[name]
    })
    if (!sent || sent === lastSent) return false
    lastSent = sent
    data.append('boxes', readBoxes())
    data.append('nonce', setup.nonce)
    fetch(setup.url, { method: 'POST', body: data, credentials: 'same-origin', keepalive: true }).catch(() => {
      lastSent = ''
    })
    return true
  }

  // consent.js calls this after an answer in the shop's consent tool.
  setup.send = send

  document.addEventListener(
    'change',
    (event) => {
      var field = event.target
      // biome-ignore lint/complexity/useOptionalChain: it is not built, and older browsers have to read it.
      if (!(field && field.id)) return
      if (/^recoup_consent_/.test(field.id)) {
        touched[field.id] = field.checked ? 'yes' : 'no'
        wordings[field.id] = field.getAttribute('data-recoup-wording') || ''
      } else if (!FIELDS[field.id]) return
      clearTimeout(timer)
      timer = setTimeout(send, 150)
    },
    true,
  )
  addEventListener('pagehide', () => {
    if (document.getElementById('billing_email')) send()
  })
})()
