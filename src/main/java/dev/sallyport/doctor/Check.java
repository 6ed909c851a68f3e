package dev.sallyport.doctor;

import java.util.List;

/// Looks at one side of the host. What cannot be looked at is a finding, too, never an exception.
interface Check {
    List<Finding> look();
}
