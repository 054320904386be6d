const PROJECTS = ['unit', 'e2e'];

/**
 * Splits the projects off the arguments of a test run. Jest takes whatever follows `--selectProjects` for a project, the
 * patterns too, and then runs every test.
 */
export function selectProjects(args) {
  const projects = [];
  const others = [];
  let selecting = false;
  for (const arg of args) {
    const [option, value] = arg.split('=', 2);
    if (option === '--selectProjects') {
      selecting = true;
      if (value) projects.push(value);
    } else if (selecting && PROJECTS.includes(arg)) projects.push(arg);
    else {
      selecting = false;
      others.push(arg);
    }
  }
  return { projects, others };
}
