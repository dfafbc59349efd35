// At `/`, before anything is painted: what web/access/access.ts answers there (A 4.1). Who has no token is at the landing page, which stands
// below; for whoever has one the app decides.
let token = null
try {
  token = sessionStorage.getItem('token') ?? localStorage.getItem('token')
} catch {
  // A browser that keeps nothing is nobody's yet.
}
if (token === null) history.replaceState(null, '', `/landing${location.hash}`)
else {
  document.documentElement.hidden = true
  location.replace('/?signed-in')
}
