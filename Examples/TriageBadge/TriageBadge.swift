// badge
