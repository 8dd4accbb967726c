// A line at the top of the page that moves while an answer is awaited.

const AT_ONCE = 80; // milliseconds

const late = new Set(); // what is awaited longer than that

// Await an answer, and show that the page is waiting if it does not come at once.
export async function awaited(answer) {
  const show = () => document.body.classList.toggle("waiting", late.size > 0);
  const timer = setTimeout(() => {
    late.add(answer);
    show();
  }, AT_ONCE);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    late.delete(answer);
    show();
  }
}
